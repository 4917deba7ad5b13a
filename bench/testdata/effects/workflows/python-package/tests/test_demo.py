import unittest

from demo import hello


class TestDemo(unittest.TestCase):
    def test_hello(self):
        self.assertEqual(hello(), "hello")
