"""What a baseline JPEG is made of, and the mean colour of each of its 8x8 blocks; no library needed.

Every avatar that a test sees goes through `check`, so that each is held to the promise: baseline, 8 bit, three
components, 256x256, no metadata, nothing behind the end. `read` goes on to the colours.
"""
import functools
import struct

# Segments that a picture needs. Everything else (EXIF, profiles, comments, other producers' notes) is metadata.
_NEEDED = {0xDB: "DQT", 0xC0: "SOF0", 0xC4: "DHT", 0xDA: "SOS", 0xDD: "DRI"}


class NotAnAvatar(AssertionError):
    """The bytes are not what the service promises; the message says why."""


class Picture:
    """A decoded avatar: `blocks[y][x]` is the mean (r, g, b) of an 8x8 block."""

    def __init__(self, width, height, blocks):
        self.width, self.height, self.blocks = width, height, blocks

    def mean(self, left=0.0, top=0.0, right=1.0, bottom=1.0):
        """The mean colour of a part, in fractions of the sides."""
        rows = self.blocks[int(top * len(self.blocks)) : int(bottom * len(self.blocks))]
        wide = len(self.blocks[0])
        cells = [cell for row in rows for cell in row[int(left * wide) : int(right * wide)]]
        return tuple(sum(cell[i] for cell in cells) / len(cells) for i in range(3))

    def quarters(self):
        """The mean colours of the four quarters: top left, top right, bottom left, bottom right."""
        return [self.mean(x, y, x + 0.5, y + 0.5) for y in (0, 0.5) for x in (0, 0.5)]


def segments(body):
    """The marker segments before the scan, and where the scan's data begins: [(marker, payload)], offset."""
    if body[:2] != b"\xff\xd8":
        raise NotAnAvatar(f"no JPEG: it begins with {body[:4].hex()}")
    found, at = [], 2
    while True:
        if at + 4 > len(body) or body[at] != 0xFF:
            raise NotAnAvatar(f"no marker at byte {at}")
        marker = body[at + 1]
        (length,) = struct.unpack(">H", body[at + 2 : at + 4])
        found.append((marker, body[at + 4 : at + 2 + length]))
        at += 2 + length
        if marker == 0xDA:
            return found, at


def check(body, side=256):
    """Raises NotAnAvatar for anything in the segments that the contract does not allow; no pixel is looked at."""
    found, start = segments(body)
    for marker, payload in found:
        if marker == 0xE0 and payload[:5] == b"JFIF\0" and len(payload) == 14:
            continue  # The 14 bytes say version and density only; a thumbnail would make them longer.
        if marker not in _NEEDED:
            raise NotAnAvatar(f"segment {marker:#x} of {len(payload)} bytes: metadata, or not baseline")
    if body[-2:] != b"\xff\xd9":
        raise NotAnAvatar("it does not end with EOI")
    frames = [payload for marker, payload in found if marker == 0xC0]
    if len(frames) != 1:
        raise NotAnAvatar(f"{len(frames)} frames")
    bits, height, width, count = struct.unpack(">BHHB", frames[0][:6])
    if (bits, count) != (8, 3) or (width, height) != (side, side):
        raise NotAnAvatar(f"{width}x{height}, {count} components of {bits} bits")
    if b"\xff" in body[start:-2].replace(b"\xff\x00", b""):
        raise NotAnAvatar("a marker within the scan")
    return found, body[start:-2], frames[0]


@functools.lru_cache(64)
def read(body, side=256):
    """The picture in an avatar's bytes; raises NotAnAvatar as `check` does, and where blocks are missing or too many."""
    found, scan, frame = check(body, side)
    return _decode(found, scan, side, side, frame)


def _tables(found):
    quantizers, codes = {}, {}
    for marker, payload in found:
        at = 0
        while marker == 0xDB and at < len(payload):
            wide, name = payload[at] >> 4, payload[at] & 15
            quantizers[name] = struct.unpack(">H", payload[at + 1 : at + 3])[0] if wide else payload[at + 1]
            at += 129 if wide else 65
        while marker == 0xC4 and at < len(payload):
            counts = payload[at + 1 : at + 17]
            symbols, code, table = at + 17, 0, {}
            for length, how_many in enumerate(counts, 1):
                for _ in range(how_many):
                    table[(length, code)] = payload[symbols]
                    symbols, code = symbols + 1, code + 1
                code <<= 1
            codes[payload[at]] = table
            at = symbols
    return quantizers, codes


class _Bits:
    """The scan's bits, without the stuffed zeros."""

    def __init__(self, scan):
        plain = scan.replace(b"\xff\x00", b"\xff")
        self.text = "".join(f"{byte:08b}" for byte in plain)
        self.at = 0

    def take(self, count):
        end = self.at + count
        if end > len(self.text):
            raise NotAnAvatar("the scan ends before the last block")
        value = int(self.text[self.at : end], 2) if count else 0
        self.at = end
        return value

    def symbol(self, table):
        code = 0
        for length in range(1, 17):
            code = code << 1 | self.take(1)
            if (length, code) in table:
                return table[(length, code)]
        raise NotAnAvatar(f"no such code at bit {self.at}")

    def number(self, size):
        value = self.take(size)
        return value if size == 0 or value >> (size - 1) else value - (1 << size) + 1


def _decode(found, scan, width, height, frame):
    quantizers, codes = _tables(found)
    parts = [(frame[6 + 3 * i], frame[7 + 3 * i] >> 4, frame[7 + 3 * i] & 15, frame[8 + 3 * i]) for i in range(3)]
    header = next(payload for marker, payload in found if marker == 0xDA)
    chosen = {header[1 + 2 * i]: header[2 + 2 * i] for i in range(header[0])}
    if sorted(chosen) != sorted(part[0] for part in parts):
        raise NotAnAvatar("more than one scan")
    across, down = max(part[1] for part in parts), max(part[2] for part in parts)
    bits, last = _Bits(scan), [0, 0, 0]
    planes = [{}, {}, {}]
    for unit_y in range(-(-height // (8 * down))):
        for unit_x in range(-(-width // (8 * across))):
            for index, (name, wide, high, quantizer) in enumerate(parts):
                direct, alternating = codes[chosen[name] >> 4], codes[0x10 | chosen[name] & 15]
                for block in range(wide * high):
                    last[index] += bits.number(bits.symbol(direct))
                    _skip(bits, alternating)
                    mean = last[index] * quantizers[quantizer] / 8 + 128
                    planes[index][(unit_y * high + block // wide, unit_x * wide + block % wide)] = mean
    if len(bits.text) - bits.at >= 16:
        raise NotAnAvatar("bytes behind the last block")
    return Picture(width, height, _colours(planes, parts, across, down, width, height))


def _skip(bits, table):
    position = 1
    while position < 64:
        symbol = bits.symbol(table)
        if symbol == 0:
            return
        position += (symbol >> 4) + 1
        bits.take(symbol & 15)


def _colours(planes, parts, across, down, width, height):
    rows = []
    for y in range(height // 8):
        row = []
        for x in range(width // 8):
            luma, blue, red = (
                planes[i][(y * parts[i][2] // down, x * parts[i][1] // across)] for i in range(3)
            )
            colour = (
                luma + 1.402 * (red - 128),
                luma - 0.344136 * (blue - 128) - 0.714136 * (red - 128),
                luma + 1.772 * (blue - 128),
            )
            row.append(tuple(min(255.0, max(0.0, part)) for part in colour))
        rows.append(row)
    return rows
