# Says what it was given, then is a proper worker.
echo "PYTHONPATH ${PYTHONPATH-unset}" >&2
echo "MY_OWN ${MY_OWN-unset}" >&2
echo "row's own: $ROW_OWN" >&2
open=
for fd in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  # The shell reads this file from a descriptor of its own, numbered 10.
  [ -e /proc/$$/fd/$fd ] && [ $fd != 10 ] && open="$open $fd"
done
echo "open descriptors:$open" >&2
exec "$1" worker clang
