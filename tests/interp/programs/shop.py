"""A Django application of one file: views that compute, render, sleep, and ask another server,
which listens at the socket that BACKEND names."""
# pylint: disable=import-error,unused-argument

import os
import socket
import time

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.template import Context, Engine
from django.urls import path

settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="of a test",
                   MIDDLEWARE=["django.middleware.common.CommonMiddleware",
                               "django.middleware.clickjacking.XFrameOptionsMiddleware"])
TEMPLATE = Engine().from_string(
    "{% for item in items %}<li>{{ item.name|upper }} {{ item.price|floatformat:2 }}</li>{% endfor %}")
NAP_S = 0.02


def price_of(number):
    total = 0
    for i in range(300):
        total = (total * 31 + i + number) % 10007
    return total


def compute_prices(count):
    return {f"item {number}": price_of(number) for number in range(count)}


def prices(request):
    return JsonResponse(compute_prices(150))


def render_list(count):
    items = [{"name": f"item {number}", "price": price_of(number % 5)} for number in range(count)]
    return TEMPLATE.render(Context({"items": items}))


def listing(request):
    return HttpResponse(render_list(60))


def wait_a_little():
    time.sleep(NAP_S)


def slow(request):
    wait_a_little()
    return HttpResponse("slept")


def ask_backend(question):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ["BACKEND"])
        connection.sendall(question)
        return connection.recv(100)


def asks(request):
    return HttpResponse(ask_backend(b"how many?"))


def fails(request):
    raise ValueError("on purpose")


urlpatterns = [path("prices", prices), path("listing", listing), path("slow", slow),
               path("asks", asks), path("fails", fails)]
django.setup()
application = get_wsgi_application()
