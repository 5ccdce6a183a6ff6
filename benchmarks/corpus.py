#!/usr/bin/env python3
"""Runs every picture of well-known test suites through the service and compares with an independent decoder.

  corpus.py [--server PROGRAM] [--folder FOLDER] [--only PATTERN] [-v]

The pictures are those of Pillow's source distribution (about a thousand, many broken on purpose), fetched with pip
into FOLDER (a temporary one by default; give one to keep it). Pillow itself, installed beside them, is the decoder
to compare with. What must hold for every file: an answer within the budget, never a 500, the server alive, memory
bounded. For every JPEG, PNG, GIF and WebP that Pillow reads: an avatar whose mean colour is within 12 of 255 of
Pillow's, and that of each quarter within 20, after the same centre crop, orientation, profile and background.
Exit status: 0 all of it holds, 1 it does not, 2 wrong usage.
"""
import argparse
import array
import collections
import concurrent.futures
import fnmatch
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import threading
import warnings

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
PILLOW = "pillow==12.3.0"
WHOLE, QUARTER = 12, 20
COMPARED = {"JPEG", "MPO", "PNG", "GIF", "WEBP"}
MEBIBYTE = 1 << 20
# The service refuses these although Pillow reads them, and is right to: pattern of the path -> the code and why.
RIGHT_REFUSALS = {
    "hopper_bad_exif.jpg": (
        "image_corrupt", "the data of most restart intervals ends early; Pillow fills them up, and shows stripes"),
}


def fetch(folder):
    """Puts the source distribution and the decoder into the folder, unless they are there."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    library = folder / "library"
    if not list(folder.glob("pillow-*.tar.gz")):
        subprocess.run([*pip, "download", "--no-deps", "--no-binary", "pillow", "--dest", folder, PILLOW], check=True)
    if not library.is_dir():
        subprocess.run([*pip, "install", "--no-deps", "--target", library, PILLOW], check=True)
    if not (folder / "pictures").is_dir():
        with tarfile.open(next(folder.glob("pillow-*.tar.gz"))) as archive:
            archive.extractall(folder / "pictures", filter="data")
    sys.path.insert(0, str(library))
    return sorted(path for path in (folder / "pictures").glob("*/Tests/**/*")
                  if path.is_file() and path.suffix not in (".py", ".txt", ".md", ".sh", ".ttf", ".otf", ".html", ".pcf", ".pil"))


class Reference:
    """What Pillow makes of a file: `picture` of 256x256, or `fault`; and what was done on the way."""

    def __init__(self, content):
        from PIL import Image
        self.format, self.picture, self.fault, self.steps = None, None, None, []
        try:
            image = Image.open(io.BytesIO(content))
            self.format = image.format
            if self.format not in COMPARED:
                return
            image.seek(0)
            image.load()
            self.picture = self._square(image)
        except Exception as fault:  # Whatever a file out of a fuzzer makes of a decoder: it is no reference then.
            self.fault = f"{type(fault).__name__}: {fault}"[:100]

    def _square(self, image):
        from PIL import Image, ImageOps
        # Orientation is EXIF's or the container's. Pillow believes XMP as well, no browser does.
        for name in ("xmp", "XML:com.adobe.xmp"):
            image.info.pop(name, None)
        turned = ImageOps.exif_transpose(image)
        if turned.size != image.size or image.getexif().get(0x0112, 1) != 1:
            self.steps.append("turned")
        profile = image.info.get("icc_profile")
        picture = self._flat(turned)
        if profile:
            picture = self._converted(picture, profile)
        picture = picture.convert("RGB") if picture.mode != "RGB" else picture
        side = min(picture.size)
        left, top = (picture.width - side) // 2, (picture.height - side) // 2
        way = Image.Resampling.BICUBIC if side < 256 else Image.Resampling.BOX
        return picture.crop((left, top, left + side, top + side)).resize((256, 256), way)

    def _flat(self, image):
        """Eight bits, no palette, no transparency."""
        from PIL import Image
        if image.mode == "I;16":
            deep = array.array("H", image.tobytes())
            key = image.info.pop("transparency", None)
            image = Image.frombytes("L", image.size, bytes(value // 257 for value in deep))
            if key is not None:  # Sixteen bits: among eight it would be another grey.
                image.putalpha(Image.frombytes("L", image.size, bytes(0 if value == key else 255 for value in deep)))
        if "transparency" in image.info or image.mode in ("RGBA", "LA", "PA", "RGBa", "La"):
            self.steps.append("transparent")
            image = image.convert("RGBA")
            return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
        if image.mode == "CMYK":
            self.steps.append("CMYK")
            return image
        return image.convert("L") if image.mode in ("1", "L") else image.convert("RGB")

    def _converted(self, image, profile):
        """Through the embedded profile, as far as it fits."""
        from PIL import ImageCms
        if profile[12:16] not in (b"scnr", b"mntr", b"prtr"):
            self.steps.append("profile of no device, left out")  # Decoders differ on whether it is one to use.
            return image
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            out = ImageCms.profileToProfile(
                image, source, ImageCms.createProfile("sRGB"), ImageCms.Intent.PERCEPTUAL, "RGB",
                flags=ImageCms.Flags.BLACKPOINTCOMPENSATION)
            self.steps.append("profile")
            return out
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
            self.steps.append("unusable profile")
            return image


def means(picture):
    """The mean colours of the whole and of the quarters."""
    def mean(box):
        content = picture.crop(box).tobytes()
        return [sum(content[i::3]) * 3 / len(content) for i in range(3)]
    return [mean((0, 0, 256, 256))] + [mean((x, y, x + 128, y + 128)) for y in (0, 128) for x in (0, 128)]


def difference(ours, theirs):
    """How far apart the colours are: of the whole, and of the worst quarter."""
    from PIL import Image
    picture = Image.open(io.BytesIO(ours)).convert("RGB")
    gaps = [max(abs(a - b) for a, b in zip(mine, yours)) for mine, yours in zip(means(picture), means(theirs))]
    return gaps[0], max(gaps[1:])


class Memory(threading.Thread):
    """The highest private memory of the server and of any worker while it runs."""

    def __init__(self, service):
        super().__init__(daemon=True)
        self.service, self.server, self.worker, self.ended = service, 0, 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            self.server = max(self.server, private(self.service.process.pid))
            self.worker = max([self.worker, *map(private, self.service.workers)])


def private(pid):
    """RssAnon of a process in bytes; 0 if it has gone."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # Gone between the two looks.
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", help="the program; else SERVER_UNDER_TEST, else .build/release/avatar-server")
    parser.add_argument("--folder", type=pathlib.Path, help="where pictures and decoder are kept")
    parser.add_argument("--only", default="*", help="paths below the distribution, with *")
    parser.add_argument("-v", action="store_true", help="a line for each file")
    options = parser.parse_args()
    if options.server:
        os.environ["SERVER_UNDER_TEST"] = os.path.abspath(options.server)
    sys.path.insert(0, str(PACKAGE / "Tests" / "EndToEnd"))
    with tempfile.TemporaryDirectory(prefix="avatar-corpus-") as temporary:
        folder = options.folder or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(run(folder.resolve(), options))


def run(folder, options):
    warnings.simplefilter("ignore")  # What Pillow thinks of broken files is in its exceptions.
    files = [path for path in fetch(folder) if fnmatch.fnmatch(str(path.relative_to(folder)), f"*{options.only}")]
    import client
    import support
    from origin import Origin
    origin = Origin()
    service = support.Service({"workers.count": 2})
    memory = Memory(service)
    memory.start()
    counts, faults, notes = collections.Counter(), [], []

    def look(path):
        name = str(path.relative_to(folder / "pictures")).split("/", 1)[1]
        content = path.read_bytes()
        page = origin.page(content, path=f"/{hashlib.sha256(name.encode()).hexdigest()}", content_type="application/octet-stream")
        reference = Reference(content)
        try:
            answer = service.get(page.url)
        except (OSError, AssertionError) as fault:
            return name, reference, None, f"no sound answer: {fault}"
        finally:
            del origin.pages[page.path]
        return name, reference, answer, None

    try:
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for name, reference, answer, fault in pool.map(look, files):
                fault = fault or judge(name, reference, answer, counts, notes)
                if fault:
                    faults.append(f"{name}: {fault}")
                if options.v:
                    said = f"{answer.status} {answer.code} {answer.elapsed * 1000:.0f} ms" if answer else "-"
                    print(f"{name}: {reference.format} {reference.fault or ''} {reference.steps} -> {said}", flush=True)
        alive = service.process.poll() is None
        tier = service.metric("avatar_cache_bytes", tier="memory")
        restarts = service.metric("avatar_worker_restarts_total")
        at_rest = max(map(private, service.workers))
        memory.ended.set()
        service.stop()
    finally:
        service.close()
        origin.close()

    print(f"files {len(files)}")
    for what, count in sorted(counts.items()):
        print(f"{what:58} {count:5}")
    print(f"server at most {memory.server / MEBIBYTE:.0f} MiB (memory tier {tier / MEBIBYTE:.0f} MiB), "
          f"worker at most {memory.worker / MEBIBYTE:.0f} MiB, at rest {at_rest / MEBIBYTE:.0f} MiB, "
          f"{restarts:.0f} workers replaced")
    if not alive:
        faults.append("the server died")
    if memory.server > 80 * MEBIBYTE + tier:
        faults.append(f"the server took {memory.server / MEBIBYTE:.0f} MiB")
    if memory.worker > 768 * MEBIBYTE or at_rest > 80 * MEBIBYTE:
        faults.append(f"a worker took {memory.worker / MEBIBYTE:.0f} MiB, {at_rest / MEBIBYTE:.0f} MiB at rest")
    for note in notes:
        print(f"note: {note}")
    for fault in faults:
        print(f"FAULT {fault}")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


def judge(name, reference, answer, counts, notes):
    """Counts a file's outcome; a sentence if it is a fault."""
    from support import REQUEST_BUDGET, TOLERANCE
    if answer.elapsed > REQUEST_BUDGET + TOLERANCE:
        return f"{answer.elapsed:.1f} s"
    if answer.status >= 500:
        return f"{answer.status} {answer.code}"
    read = reference.picture is not None
    if answer.status != 200:
        counts[f"refused as {answer.code}, and Pillow {'reads it' if read else 'does not' if reference.fault else 'was not asked'}"] += 1
        if not read:
            return None
        for pattern, (code, why) in RIGHT_REFUSALS.items():
            if fnmatch.fnmatch(name, f"*{pattern}") and code == answer.code:
                notes.append(f"{name}: {code}: {why}")
                return None
        return f"refused as {answer.code}; Pillow reads it as {reference.format} {reference.steps}"
    if not read:
        counts[f"an avatar, and Pillow {'cannot read it' if reference.fault else 'was not asked'} ({reference.format})"] += 1
        return None
    kind = ", ".join(step for step in reference.steps) or "plain"
    whole, quarter = difference(answer.body, reference.picture)
    same = whole <= WHOLE and quarter <= QUARTER
    counts[f"an avatar, colours {'the same' if same else 'DIFFERENT'} ({kind})"] += 1
    return None if same else f"colours differ by {whole:.0f}, a quarter by {quarter:.0f} ({reference.format}, {kind})"


if __name__ == "__main__":
    main()
