import { foldChapters } from './folded.js';
import { start } from './start.js';

foldChapters(document);
start();
