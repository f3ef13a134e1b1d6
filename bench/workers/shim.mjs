// A built Rust Worker as it is deployed.

export { default } from './index.js';
