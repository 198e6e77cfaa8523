export { type ConformanceTest, type StoreSetup, storeConformance } from './store-tests.ts';
