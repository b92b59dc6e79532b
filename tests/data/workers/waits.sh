# A proper worker whose figures are those of a busy machine: each batch, of however many launches, waits 250 ms for
# a processor.
"$1" worker clang 4>&1 >/dev/null | sed -u -e 's/"mean_ms":[-+.e0-9]*/"mean_ms":0.2/' \
  -e 's/"launch_us":[-+.e0-9]*/"launch_us":5/' -e '/end_to_end_us/{' -e 'x' -e 's/$/n/' -e '/^n$/{' -e 'x' \
  -e 's/"end_to_end_us":[-+.e0-9]*/"end_to_end_us":5200/' -e 'b' -e '}' -e 'x' \
  -e 's/"end_to_end_us":[-+.e0-9]*/"end_to_end_us":41866/' -e '}' >&4
