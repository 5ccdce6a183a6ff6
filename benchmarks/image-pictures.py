#!/usr/bin/env python3
"""Asks a service for avatars and looks at them; run by image.sh inside the container's network.

    image-pictures.py fill SAMPLES CERTIFICATE KEY [DEGRADED]   with an origin of its own at 127.0.0.1:8090 and, by TLS, at origin.test:8443;
                                                                DEGRADED: the one thing that /readyz may call degraded
    image-pictures.py again                                     the same avatars with that origin gone: all must come from the cache

The service listens at 127.0.0.1:8080 and runs the sample origin of `serve --demo` at 127.0.0.1:8082. Exits 1 if anything is wrong.
"""
import base64, http.server, io, json, pathlib, ssl, sys, threading, urllib.error, urllib.parse, urllib.request
from PIL import Image, ImageChops, ImageStat

ORIGIN = 'http://127.0.0.1:8090/'
# The quarters of the sample pictures of AvatarNormalizeTests.
QUAD = ((220, 40, 40), (40, 170, 60), (50, 70, 200), (230, 200, 40))
QUADS = ('baseline.jpg', 'progressive.jpg', 'rgb.png', 'interlaced.png', 'moving.gif', 'still.webp', 'still.avif', 'still.heic')
FAMILIES = ('sans-serif', 'serif', 'monospace')
failures = []


def say(name, fault):
    print(f'{"FAIL" if fault else "ok  "} {name}{": " + fault if fault else ""}', flush=True)
    if fault:
        failures.append(name)


def drawings(samples):
    """SVGs that need what an image may lack: a font of each kind, the formats that may be embedded, another encoding."""
    lines = ''.join(f'<text x="4" y="{y}" font-size="24" font-family="{family}">Wagen</text>' for y, family in zip((24, 54, 84), FAMILIES))
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="{}"/>{}</svg>'
    found = {'text.svg': svg.format('#fff', lines).encode(),
             'utf16.svg': ('<?xml version="1.0" encoding="UTF-16"?>' + svg.format('rgb(50,70,200)', '')).encode('utf-16')}
    for name, kind in (('rgb.png', 'png'), ('baseline.jpg', 'jpeg')):
        picture = base64.b64encode((samples / name).read_bytes()).decode()
        found[f'embedded-{kind}.svg'] = svg.format('#fff', '<image width="96" height="96" preserveAspectRatio="xMidYMid slice" '
                                                   f'href="data:image/{kind};base64,{picture}"/>').encode()
    return found


def serve(files, port, context=None):
    class Origin(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = files.get(self.path[1:])
            self.send_response(200 if body is not None else 404)
            self.send_header('Cache-Control', 'max-age=3600')
            self.send_header('Content-Length', str(len(body or b'')))
            self.end_headers()
            self.wfile.write(body or b'')

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(('127.0.0.1', port), Origin)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def ask(source):
    request = 'http://127.0.0.1:8080/avatar?src=' + urllib.parse.quote(source, safe='')
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def near(found, wanted, within=18):
    return all(abs(a - b) <= within for a, b in zip(found, wanted))


def is_quad(image):
    found = [image.getpixel((x, y)) for y in (64, 192) for x in (64, 192)]
    return '' if all(map(near, found, QUAD)) else f'quarters are {found}'


def is_at(x, y, wanted):
    return lambda image: '' if near(image.getpixel((x, y)), wanted) else f'({x}, {y}) is {image.getpixel((x, y))}, not {wanted}'


def has_text(image):
    """Ink in each line, and no line like another: without fonts there are boxes, the same ones in every line."""
    lines = [image.convert('L').crop((0, y, 256, y + 80)) for y in (0, 80, 160)]
    ink = [sum(line.histogram()[:100]) for line in lines]
    apart = [ImageStat.Stat(ImageChops.difference(lines[a], lines[b])).mean[0] for a, b in ((0, 1), (1, 2), (0, 2))]
    return '' if min(ink) > 500 and min(apart) > 2 else f'dark pixels by line {ink}, mean difference between lines {apart}'


def is_varied(image):
    return '' if len(image.getcolors(65536)) > 1000 else 'it is flat'


def fault_of(source, look, cached):
    status, headers, body = ask(source)
    if status != 200:
        return f'{status} {body[:200]!r}'
    if cached and not headers['Cache-Status'].startswith('avatar-server; hit'):
        return f'Cache-Status is {headers["Cache-Status"]}'
    image = Image.open(io.BytesIO(body))
    shape = (image.format, image.mode, image.size, 'progression' in image.info, 'exif' in image.info)
    if shape != ('JPEG', 'RGB', (256, 256), False, False) or headers['Content-Type'] != 'image/jpeg':
        return f'not an avatar: {shape} {headers["Content-Type"]}'
    return look(image)


def main():
    cached = sys.argv[1] == 'again'
    if not cached:
        samples, certificate, key = map(pathlib.Path, sys.argv[2:5])
        files = {name: (samples / name).read_bytes() for name in QUADS} | drawings(samples)
        files['paper.pdf'] = b'%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        serve(files, 8090)
        serve(files, 8443, context)

        with urllib.request.urlopen('http://127.0.0.1:8081/readyz', timeout=10) as answer:
            ready = json.load(answer)
        degraded = [reason for reason in ready.get('degraded', ['?']) if not any(map(reason.endswith, sys.argv[5:6]))]
        say('ready with nothing degraded', '' if ready.get('ready') is True and not degraded else str(ready))
        demo = 'http://127.0.0.1:8082/'
        for name, look in (('alice.svg', is_at(8, 8, (0xFD, 0xE2, 0xC8))), ('team.svg', is_at(8, 8, (0xE8, 0xF0, 0xE4))),
                           ('sunset.png', is_varied)):
            say(f'demo {name}', fault_of(demo + name, look, cached))
        status, _, body = ask(ORIGIN + 'paper.pdf')
        say('PDF is refused', '' if status == 422 and b'image_unsupported' in body else f'{status} {body[:200]!r}')

    looks = {name: is_quad for name in (*QUADS, 'embedded-png.svg', 'embedded-jpeg.svg')}
    looks |= {'text.svg': has_text, 'utf16.svg': is_at(128, 128, (50, 70, 200))}
    for name, look in looks.items():
        say(f'{name}{" from the cache" if cached else ""}', fault_of(ORIGIN + name, look, cached))
    say('a name of the hosts file, by TLS with the mounted authority', fault_of('https://origin.test:8443/rgb.png', is_quad, cached))
    sys.exit(1 if failures else 0)


main()
