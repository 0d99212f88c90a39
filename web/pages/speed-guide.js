// How to read the speed page, rendered once, at build.

import { html } from 'lit';

export const speedGuideView = () => html`
  <div class="chapters">
    <section id="reading">
      <h2>How to read a roofline</h2>
      <p>A layer takes its numbers from memory and computes with them. Whichever of the two takes longer sets the least
        time that it can take. Its arithmetic intensity, the FLOPs for each byte that must move at the least (inputs,
        weights and results once each), says which: at low intensity the roof slopes, because memory cannot deliver
        faster; past the ridge it is flat, because the machine cannot multiply faster.</p>
      <p>A point on the roof is as fast as this browser on this machine can be. One below it leaves something: copying
        between JavaScript and WebAssembly, packing, softmax, waiting for threads. Softmax and tanh are no FLOPs in this
        count, though they take time, so attention cannot quite reach the roof. A point above the slope read its input
        from a cache, which is faster than memory.</p>
    </section>
    <section id="measured">
      <h2>What is measured</h2>
      <p>Typed arrays go in, a typed array comes out, weights are prepared before, batch 1 unless a name says otherwise,
        float32. Each time is a median after two runs that warm up. FLOPs are 2 a multiply-accumulate of matrix
        products, as PyTorch counts them, but for a causal layer, <a href="../guide/#causal-flops">which counts half of its
        scores</a>. The roofs are what a chain of multiply-adds in registers and reading a long array reach here, the
        best of six tries around the layers.</p>
      <p>The same layers are timed beside other runtimes, in Node and in Chromium, by <code>npm run bench</code> of the
        source.</p>
    </section>
  </div>`;
