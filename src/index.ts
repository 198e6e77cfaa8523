export * from './browser.ts';
export * from './cluster/index.ts';
