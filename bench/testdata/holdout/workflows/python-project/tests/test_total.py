import unittest
from app import store
class TotalTest(unittest.TestCase):
    def test_rows(self):
        self.assertEqual(len(store.rows()), 2)
