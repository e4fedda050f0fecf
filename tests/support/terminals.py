"""What a program prints to a terminal."""

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios

from running import LIMIT_S, clean_environment


def on_terminal(argv, stream="stdout", columns=80, **options):
    """(status, bytes) of a program with this stream on a terminal, which changes nothing of them."""
    control, terminal = pty.openpty()
    settings = termios.tcgetattr(terminal)
    settings[1] &= ~termios.OPOST
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    options.update(dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL))
    options[stream] = terminal
    with subprocess.Popen(argv, env=clean_environment(), **options) as child:
        os.close(terminal)
        text = b""
        with contextlib.suppress(OSError):  # EIO: all of the terminal's users are gone
            while part := os.read(control, 65536):
                text += part
        os.close(control)
        return child.wait(timeout=LIMIT_S), text
