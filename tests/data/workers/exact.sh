# A proper worker that never contracts, whatever it is asked for.
sed -u -e 's/"fp":"default"/"fp":"strict"/' -e '/"request":"close"/q' <&3 | "$1" worker clang 3<&0
