"""A shop's report: the program of the picture in the README.

The picture is the page that `flametrap -o shop python3 shop.py` writes, 1280 pixels wide.
"""

import csv
import io
import json
import sqlite3
import time
import zlib

SECONDS = 20


def read_orders(number):
    lines = "\n".join(f"{i},{i % 97},{i * 7 % 1000 / 10}" for i in range(number))
    return [(int(i), int(customer), float(price)) for i, customer, price in csv.reader(io.StringIO(lines))]


def store(base, orders):
    base.executemany("insert or replace into orders values (?, ?, ?)", orders)


def total_by_customer(base):
    return base.execute("select customer, sum(price), count(*) from orders group by customer "
                        "order by sum(price)").fetchall()


def render(totals):
    return json.dumps([{"customer": customer, "total": total, "orders": count}
                       for customer, total, count in totals] * 5, indent=1)


def compress(page):
    return zlib.compress(page.encode(), 9)


def rebuild_index(base):
    base.execute("drop index if exists by_price")
    base.execute("create index by_price on orders (price, customer, id)")


def main():
    base = sqlite3.connect(":memory:")
    base.execute("create table orders (id integer primary key, customer integer, price real)")
    start = rebuilt = time.monotonic()
    while time.monotonic() < start + SECONDS:
        store(base, read_orders(1500))
        compress(render(total_by_customer(base)))
        if time.monotonic() > rebuilt + 2:
            rebuilt += 2
            while time.monotonic() < rebuilt + 0.25:
                rebuild_index(base)


main()
