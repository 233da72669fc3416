// @ts-check
// How widely weights are spread. Apart from attn.js, so that only widgets that say so carry it.

/** In nats; e to this power is "how many keys it looks at". @param {number[]} weights */
export const entropy = (weights) => weights.reduce((sum, w) => (w > 0 ? sum - w * Math.log(w) : sum), 0);
