"""Which bits of a factor fma.oob takes for 0: all 65,536 of the first factor against fma without .oob."""
import ctypes,struct
P=ctypes.c_void_p; U=ctypes.c_uint64
l=ctypes.CDLL('libcuda.so.1')
def ck(r): assert r==0,r
def body(forms):
  o=[]
  for i,(n,x2) in enumerate(forms):
    r='r' if x2 else 'h'
    o.append(f'''.visible .entry k{i}(.param .u64 out,.param .u32 other,.param .u32 third){{ .reg .b32 %t,%b,%n,%r<8>; .reg .b16 %h<8>; .reg .b64 %o,%d; ld.param.u64 %o,[out]; mov.u32 %t,%tid.x; mov.u32 %b,%ctaid.x; mov.u32 %n,%ntid.x; mad.lo.u32 %t,%b,%n,%t; mul.wide.u32 %d,%t,4; add.u64 %o,%o,%d; ld.param.u32 %r2,[other]; ld.param.u32 %r3,[third]; mov.u32 %r1,%t; cvt.u16.u32 %h1,%r1; cvt.u16.u32 %h2,%r2; cvt.u16.u32 %h3,%r3; mov.b32 %r1,{{%h1,%h1}}; mov.b32 %r2,{{%h2,%h2}}; mov.b32 %r3,{{%h3,%h3}};
 {n} %{r}4,%{r}1,%{r}2,%{r}3; {'' if x2 else 'mov.b32 %r4,{%h4,%h4};'} st.global.u32 [%o],%r4; ret; }}''')
  return '.version 8.6\n.target sm_90\n.address_size 64\n'+'\n'.join(o)+'\0'
forms=[('fma.rn.oob.f16',0),('fma.rn.oob.relu.f16',0),('fma.rn.oob.bf16',0),('fma.rn.oob.relu.bf16',0),('fma.rn.oob.f16x2',1),('fma.rn.oob.bf16x2',1),('fma.rn.f16',0),('fma.rn.relu.f16',0),('fma.rn.bf16',0),('fma.rn.relu.bf16',0)]
ck(l.cuInit(0)); c=P(); ck(l.cuCtxCreate_v2(ctypes.byref(c),0,0)); m=P(); r=l.cuModuleLoadData(ctypes.byref(m),body(forms).encode())
print('load',r); ck(r)
out=U(); ck(l.cuMemAlloc_v2(ctypes.byref(out),ctypes.c_size_t(1<<18)))
def run(i,b,t):
  f=P(); ck(l.cuModuleGetFunction(ctypes.byref(f),m,b'k%d'%i)); a=[out,ctypes.c_uint(b),ctypes.c_uint(t)]
  v=(P*3)(*[ctypes.cast(ctypes.pointer(x),P) for x in a]); ck(l.cuLaunchKernel(f,256,1,1,256,1,1,0,None,v,None)); buf=ctypes.create_string_buffer(1<<18); ck(l.cuMemcpyDtoH_v2(buf,out,ctypes.c_size_t(1<<18)))
  return [x&0xffff for x in struct.unpack('65536I',buf.raw)]
pair={0:6,1:7,2:8,3:9,4:6,5:8}
for i in range(6):
  bf=i in(2,3,5)
  one,two=(0x3f80,0x4000) if bf else (0x3c00,0x4000)
  for b,t in ((one,two),(one,0),(0xffff,two),(0x7fff,two),(one,0xffff),(0x7c00 if not bf else 0x7f80,two),(0,two|0x8000)):
    x=run(i,b,t); y=run(pair[i],b,t); d=[(a,x[a],y[a]) for a in range(65536) if x[a]!=y[a]]
    vals=sorted(set(z[1] for z in d)); print(forms[i][0],'b=%04x c=%04x'%(b,t),'differ at',len(d),['%04x: %04x not %04x'%z for z in d[:4]],'values',['%04x'%v for v in vals[:6]],'first..last',('%04x..%04x'%(d[0][0],d[-1][0]) if d else ''))
