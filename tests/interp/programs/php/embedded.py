"""Python calls PHP, which is loaded into it."""
import ctypes
import sys
def php(code):
    return library.zend_eval_string(code, None, b"embedded")
def work(n):
    s = 0
    for i in range(n):
        s += i
    return s
library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
library.php_embed_init(0, None)
php(b"function spin($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i; return $s; }"
    b"function outer($n) { return array_sum(array_map('spin', [$n, $n])); }")
for _ in range(100):
    php(b"outer(20000);")
    work(20000)
library.php_embed_shutdown()
print("done")
