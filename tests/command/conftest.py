"""The fixtures of graph_page.py, for every test of the command."""

from graph_page import browser, nested  # pylint: disable=unused-import
