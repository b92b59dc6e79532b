"""What the driver answers: `driver_answers.py destroy SECONDS | unload | exit | nocontext | nocontext_thread | lod | width`."""
import ctypes,time,os,sys,subprocess,threading
PTX=b'''.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 wide[16] = {37,50,48,48,48,48,48,48,48,48,48,100,33,10,0};
.visible .entry spin(.param .u64 ns){ .reg .u64 %a<4>; .reg .pred %p; ld.param.u64 %a1,[ns]; mov.u64 %a2,%globaltimer; L: mov.u64 %a3,%globaltimer; sub.u64 %a3,%a3,%a2; setp.lt.u64 %p,%a3,%a1; @%p bra L; ret; }
.visible .entry say(){ .local .align 8 .b8 own[8]; .reg .b64 %rd<4>; .reg .b32 %r<4>; mov.u32 %r1, 7; st.local.u32 [own], %r1; mov.u64 %rd1, own; cvta.local.u64 %rd1,%rd1; mov.u64 %rd2, wide; cvta.global.u64 %rd2,%rd2;
 { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd2; st.param.b64 [a], %rd1; call.uni (r), vprintf, (f, a); } ret; }
\0'''
l=ctypes.CDLL('libcuda.so.1'); P=ctypes.c_void_p
def ck(n,r): 
  if r: print(n,'->',r)
  return r
def setup():
  ck('init',l.cuInit(0)); c=P(); ck('ctx',l.cuCtxCreate_v2(ctypes.byref(c),0,0)); m=P(); ck('mod',l.cuModuleLoadData(ctypes.byref(m),PTX)); return c,m
def f(m,n): x=P(); ck('fn',l.cuModuleGetFunction(ctypes.byref(x),m,n)); return x
def launch(fn,*a):
  v=(P*max(1,len(a)))(*[ctypes.cast(ctypes.pointer(x),P) for x in a]); return l.cuLaunchKernel(fn,1,1,1,1,1,1,0,None,v,None)
what=sys.argv[1]
if what=='destroy':
  c,m=setup(); fn=f(m,b'spin'); ck('launch',launch(fn,ctypes.c_uint64(int(float(sys.argv[2])*1e9)))); t=time.time(); r=l.cuCtxDestroy_v2(c); print('destroy of a context with a kernel of',sys.argv[2],'s:',r,'after %.2f s'%(time.time()-t))
elif what=='unload':
  c,m=setup(); fn=f(m,b'spin'); ck('launch',launch(fn,ctypes.c_uint64(int(2e9)))); t=time.time(); r=l.cuModuleUnload(m); print('unload:',r,'after %.2f s'%(time.time()-t))
elif what=='exit':
  c,m=setup(); fn=f(m,b'spin'); ck('launch',launch(fn,ctypes.c_uint64(int(4e9)))); print('leaving with a kernel of 4 s',flush=True)
elif what=='nocontext':
  c,m=setup(); fn=f(m,b'spin'); o=P(); l.cuCtxPopCurrent_v2(ctypes.byref(o)); print('launch without a context:',launch(fn,ctypes.c_uint64(0)))
  s=P(); print('stream without a context:',l.cuStreamCreate(ctypes.byref(s),0))
elif what=='nocontext_thread':
  c,m=setup(); fn=f(m,b'spin')
  t=threading.Thread(target=lambda: print('launch on a thread without a context:',launch(fn,ctypes.c_uint64(0)))); t.start(); t.join()
elif what=='lod':
  c,m=setup()
  class C(ctypes.Structure):
    _fields_=[('srcX',ctypes.c_size_t),('srcY',ctypes.c_size_t),('srcZ',ctypes.c_size_t),('srcLOD',ctypes.c_size_t),('srcType',ctypes.c_int),('srcHost',P),('srcDev',ctypes.c_uint64),('srcArr',P),('r0',P),('srcPitch',ctypes.c_size_t),('srcH',ctypes.c_size_t),
      ('dstX',ctypes.c_size_t),('dstY',ctypes.c_size_t),('dstZ',ctypes.c_size_t),('dstLOD',ctypes.c_size_t),('dstType',ctypes.c_int),('dstHost',P),('dstDev',ctypes.c_uint64),('dstArr',P),('r1',P),('dstPitch',ctypes.c_size_t),('dstH',ctypes.c_size_t),('w',ctypes.c_size_t),('h',ctypes.c_size_t),('d',ctypes.c_size_t)]
  a=ctypes.c_uint64(); ck('a',l.cuMemAlloc_v2(ctypes.byref(a),ctypes.c_size_t(65536)))
  for field in ('','srcLOD','dstLOD','r0','r1'):
    x=C(); x.srcType=x.dstType=2; x.srcDev=a.value; x.dstDev=a.value+32768; x.srcPitch=x.dstPitch=64; x.srcH=x.dstH=4; x.w=16; x.h=2; x.d=2
    if field: setattr(x,field,1 if field[0] in 'sd' else P(16))
    print('cuMemcpy3D with',field or 'nothing',':',l.cuMemcpy3D_v2(ctypes.byref(x)))
elif what=='width':
  c,m=setup(); t=time.time(); fn=f(m,b'say'); ck('launch',launch(fn)); print('sync',l.cuCtxSynchronize(),'%.2f s'%(time.time()-t),file=sys.stderr)
