#!/usr/bin/env python3
"""Makes the sample pictures of AvatarNormalizeTests: python3 make-samples.py DIRECTORY

Needs Pillow 11.3 or later and pillow-heif. The pictures are committed; this says how each came about.
`quad` is red, green, blue, yellow in the quarters of the centre square, magenta outside of it.
"""
import io, math, pathlib, struct, sys, zlib
from PIL import Image
import pillow_heif

pillow_heif.register_heif_opener()
OUT = pathlib.Path(sys.argv[1])
QUAD = ((220, 40, 40), (40, 170, 60), (50, 70, 200), (230, 200, 40))


def quad(width, height):
    image = Image.new('RGB', (width, height), (255, 0, 255))
    side = min(width, height)
    left, top, half = (width - side) // 2, (height - side) // 2, side // 2
    for index, colour in enumerate(QUAD):
        x, y = left + half * (index % 2), top + half * (index // 2)
        image.paste(colour, (x, y, x + side - half, y + side - half))
    return image


def save(name, image, kind, **options):
    image.save(OUT / name, kind, **options)


def exif(value):
    block = Image.Exif()
    block[274] = value
    return block


def turned(image, orientation):
    """The stored form of `image` that `orientation` turns upright again."""
    t = Image.Transpose
    ways = {2: t.FLIP_LEFT_RIGHT, 3: t.ROTATE_180, 4: t.FLIP_TOP_BOTTOM, 5: t.TRANSPOSE, 6: t.ROTATE_90,
            7: t.TRANSVERSE, 8: t.ROTATE_270}
    return image.transpose(ways[orientation]) if orientation in ways else image


def wide_profile():
    """An RGB profile with wider primaries than sRGB and a plain gamma of 2.2."""
    fixed = lambda *values: b''.join(struct.pack('>i', round(v * 65536)) for v in values)
    xyz = lambda *values: b'XYZ \0\0\0\0' + fixed(*values)
    curve = b'curv\0\0\0\0' + struct.pack('>IH', 1, 563) + b'\0\0'
    tags = [(b'wtpt', xyz(.9642, 1, .8249)), (b'rXYZ', xyz(.5151, .2412, -.0011)), (b'gXYZ', xyz(.2920, .6922, .0419)),
            (b'bXYZ', xyz(.1571, .0666, .7841)), (b'rTRC', curve), (b'gTRC', curve), (b'bTRC', curve)]
    body, table, start = b'', b'', 132 + 12 * len(tags)
    for name, value in tags:
        table += name + struct.pack('>II', start + len(body), len(value))
        body += value
    head = struct.pack('>I', start + len(body)) + b'\0\0\0\0' + struct.pack('>I', 0x02100000) + b'mntrRGB XYZ '
    head += struct.pack('>6H', 2026, 1, 1, 0, 0, 0) + b'acsp' + b'\0' * 28 + fixed(.9642, 1, .8249)
    return head.ljust(128, b'\0') + struct.pack('>I', len(tags)) + table + body


def interlaced(image):
    """An Adam7 PNG of 8-bit RGB; Pillow reads them and does not write them."""
    width, height = image.size
    rows = b''
    for x0, y0, dx, dy in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
        for y in range(y0, height, dy):
            line = b''.join(bytes(image.getpixel((x, y))) for x in range(x0, width, dx))
            if line:
                rows += b'\0' + line
    chunk = lambda name, body: struct.pack('>I', len(body)) + name + body + struct.pack('>I', zlib.crc32(name + body))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 1))
            + chunk(b'IDAT', zlib.compress(rows, 9)) + chunk(b'IEND', b''))


OUT.mkdir(parents=True, exist_ok=True)
for value in range(1, 9):
    save(f'orientation-{value}.jpg', turned(quad(120, 80), value), 'JPEG', quality=92, exif=exif(value))
save('orientation-6.png', turned(quad(120, 80), 6), 'PNG', exif=exif(6))
save('orientation-6.webp', turned(quad(120, 80), 6), 'WEBP', lossless=True, exif=exif(6))
save('baseline.jpg', quad(300, 200), 'JPEG', quality=90)
save('progressive.jpg', quad(300, 200), 'JPEG', quality=90, progressive=True)
save('restarts.jpg', quad(300, 200), 'JPEG', quality=90, restart_marker_rows=1)
save('grey.jpg', Image.new('L', (64, 64), 100), 'JPEG')
save('cmyk.jpg', quad(200, 200).convert('CMYK'), 'JPEG', quality=92)
save('rgb.png', quad(301, 201), 'PNG')
save('palette.png', quad(200, 200).quantize(8), 'PNG')
save('grey16.png', Image.new('I;16', (64, 64), 0x8080), 'PNG')
(OUT / 'interlaced.png').write_bytes(interlaced(quad(90, 61)))
for name, kind, options in (('wide.jpg', 'JPEG', {'quality': 92}), ('wide.png', 'PNG', {}), ('wide.webp', 'WEBP', {'lossless': True})):
    save(name, Image.new('RGB', (64, 64), (180, 100, 100)), kind, icc_profile=wide_profile(), **options)
save('wide-on-grey.jpg', Image.new('L', (64, 64), 100), 'JPEG', icc_profile=wide_profile())

# Waves of colour, with chroma halved one way, and in scans.
waves = Image.new('RGB', (160, 128))
waves.putdata([(128 + round(90 * math.sin(x / 11)), 128 + round(90 * math.cos(y / 9)), 128 + round(60 * math.sin((x + y) / 17)))
               for y in range(128) for x in range(160)])
save('waves-422.jpg', waves, 'JPEG', quality=88, subsampling='4:2:2')
save('waves-progressive.jpg', waves, 'JPEG', quality=88, subsampling='4:2:0', progressive=True)

# What an entropy decoder meets: tables of its own, long codes, full blocks, a restart after each MCU; and as little as there is.
rough = Image.new('RGB', (72, 40))
rough.putdata([((x * 89 + y * 57) * (x + 3 * y) % 251, x * y * 7 % 256, (x * x + 31 * y) % 241)
               for y in range(40) for x in range(72)])
save('rough-444.jpg', rough, 'JPEG', quality=97, subsampling='4:4:4', optimize=True, restart_marker_blocks=1)
save('rough-420.jpg', rough, 'JPEG', quality=97, subsampling='4:2:0', optimize=True, restart_marker_rows=1)
save('rough-grey.jpg', rough.convert('L'), 'JPEG', quality=100, optimize=True, restart_marker_blocks=7)
save('dot.jpg', rough.crop((30, 20, 31, 21)), 'JPEG', quality=90)

# Top left opaque red, top right half red, below clear (with a colour that must not show).
glass = Image.new('RGBA', (128, 128), (0, 255, 0, 0))
glass.paste((220, 40, 40, 255), (0, 0, 64, 64))
glass.paste((255, 0, 0, 128), (64, 0, 128, 64))
save('alpha.png', glass, 'PNG')
save('alpha.webp', glass, 'WEBP', quality=90)
save('alpha.avif', glass, 'AVIF', quality=90)
keyed = quad(128, 128)
save('keyed.png', keyed, 'PNG', transparency=QUAD[1])

frames = [quad(100, 100).quantize(8), Image.new('RGB', (100, 100), (0, 0, 0)).quantize(8)]
save('moving.gif', frames[0], 'GIF', save_all=True, append_images=frames[1:], duration=100)
save('moving.webp', quad(100, 100), 'WEBP', lossless=True, save_all=True, append_images=[Image.new('RGB', (100, 100))])
save('moving.png', quad(100, 100), 'PNG', save_all=True, append_images=[Image.new('RGB', (100, 100))])
save('still.webp', quad(300, 200), 'WEBP', quality=90)
save('still.avif', quad(300, 200), 'AVIF', quality=85)
save('still.heic', quad(300, 200), 'HEIF', quality=85)

# A picture of 50×50 at (0, 0) of a screen of 100×100, the rest of it never drawn.
part = io.BytesIO()
Image.new('P', (50, 50), 0).save(part, 'GIF')
part = bytearray(part.getvalue())
part[6:10] = struct.pack('<HH', 100, 100)
(OUT / 'part.gif').write_bytes(part)
