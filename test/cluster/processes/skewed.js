// A member whose clocks run at another rate and show another time: skewed.js GROUP LEASE_MS RATE AHEAD_MS
import { join } from 'batonjs';

const [group, leaseMs, rate, ahead] = process.argv.slice(2);
const now = performance.now.bind(performance);
const [began, dayBegan] = [now(), Date.now()];
const passed = () => (now() - began) * Number(rate);
performance.now = () => began + passed();
Date.now = () => Math.floor(dayBegan + Number(ahead) + passed());

const member = await join(group, { leaseMs: Number(leaseMs) });
member.on('skew', (skews) => console.log(skews.map(({ slower }) => slower.id === member.id).join()));
console.log(member.id);
console.log('ready');
