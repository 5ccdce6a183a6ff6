#!/usr/bin/env python3
"""Stands in for `avatar-server` with one fault on its public side, for tests that a budget catches it.

Takes the flags of `serve`, starts the program that SERVER_UNDER_TEST names on another public port, and hands everything
through. FAULT says what goes wrong: `sleep` hits come 300 ms late; `no-cache` every avatar is asked for under an address
of its own; `second-fetch` some clients of an avatar are sent to another address of the same picture; `none` nothing.
"""
import asyncio
import base64
import itertools
import os
import re
import signal
import subprocess
import sys

import support

FAULT = os.environ["FAULT"]
NUMBERS = itertools.count()


def another(path, number):
    """The same kind of picture under another address: the name in the source's path gets a number."""
    found = re.fullmatch(rb"(/avatar/unsigned/)([\w-]+)(\.jpg)(?:\?.*)?", path)
    if not found:
        return path
    source, mark, query = base64.urlsafe_b64decode(found[2] + b"=" * (-len(found[2]) % 4)).partition(b"?")
    source += b"-again%d" % number + mark + query
    return found[1] + base64.urlsafe_b64encode(source).rstrip(b"=") + found[3]


async def head(reader):
    return await reader.readuntil(b"\r\n\r\n")


async def carry(client, out, inner):
    """One connection: each request to the service, each answer back. Bodies have lengths or there is none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", inner, limit=1 << 20)
    try:
        while True:
            request = await head(client)
            method, path, rest = request.split(b" ", 2)
            number = next(NUMBERS)
            if FAULT == "no-cache":
                path = another(path, number)
            elif FAULT == "second-fetch" and number % 50 == 49:
                path = another(path, 0)
            writer.write(b" ".join((method, path, rest)))
            answer = await head(reader)
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", answer)
            status = int(answer[9:12])
            body = await reader.readexactly(int(length[1])) if length and status != 304 and method != b"HEAD" else b""
            if FAULT == "sleep" and b"; hit" in answer:
                await asyncio.sleep(0.3)
            out.write(answer + body)
            await out.drain()
            if re.search(rb"(?i)\r\nconnection: *close", answer):
                return
    except (asyncio.IncompleteReadError, ConnectionError):
        pass  # Either side has ended the connection.
    finally:
        writer.close()
        out.close()


async def main(arguments):
    inner = support.free_port()
    outer = next(int(argument.rpartition(":")[2]) for argument in arguments if argument.startswith("--listen="))
    flags = [argument for argument in arguments if not argument.startswith("--listen=")]
    # Ready only when both are: the control side, which says so, is the real one's.
    door = await asyncio.start_server(lambda c, o: carry(c, o, inner), "127.0.0.1", outer, limit=1 << 20, backlog=4096)
    flags += [f"--listen=127.0.0.1:{inner}", f"--public-base-url=http://127.0.0.1:{outer}"]
    # It ends with us, also where we are killed: prctl(PR_SET_PDEATHSIG).
    process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", os.environ["SERVER_UNDER_TEST"], *flags])
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, process.send_signal, number)
    status = await loop.run_in_executor(None, process.wait)
    door.close()
    os._exit(status)


asyncio.run(main(sys.argv[1:]))
