// How many steps every point of the plane takes to leave a circle, in double precision.
extern "C" __global__ void mandelbrot(unsigned short* steps, int width, int height, double left, double top,
                                      double pixel, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const double cr = left + x * pixel, ci = top - y * pixel;
  double zr = 0.0, zi = 0.0;
  int step = 0;
  while (step < most && zr * zr + zi * zi <= 4.0) {
    const double next = zr * zr - zi * zi + cr;
    zi = 2.0 * zr * zi + ci;
    zr = next;
    ++step;
  }
  steps[y * width + x] = (unsigned short)step;
}
