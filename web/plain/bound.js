// How long the run must take at the least, after the roofline model (Williams, Waterman and Patterson 2009).

/**
 * @param {{ flops: number, bytes_moved: number }} estimate at float32, as it runs
 * @param {{ flops_per_second: number, bytes_per_second: number }} peaks with the threads that run
 */
export function lowerBound({ flops, bytes_moved: bytes }, peaks) {
  const compute = flops / peaks.flops_per_second;
  const memory = bytes / peaks.bytes_per_second;
  return { seconds: Math.max(compute, memory), by: compute >= memory ? 'arithmetic' : 'memory traffic' };
}
