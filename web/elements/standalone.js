// Entry of attnscope-calculator.js: defines <attnscope-calculator> for a page of somebody else.
// <script type="module" src="attnscope-calculator.js"></script> <attnscope-calculator hidden_size="1024"></attnscope-calculator>

import './calculator.js';
