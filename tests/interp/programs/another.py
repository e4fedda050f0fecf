"""Other interpreters in a process, by whichever module this Python has."""
# pylint: disable=import-error,unused-import

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

run_text = interpreters.exec if hasattr(interpreters, "exec") else interpreters.run_string


def run_in_another(text):
    """Returns what is wrong with it, if anything is."""
    another = interpreters.create()
    failed = run_text(another, text)
    interpreters.destroy(another)
    return failed
