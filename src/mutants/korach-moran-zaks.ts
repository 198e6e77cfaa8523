import { korachMoranZaks } from '../algorithms/election/korach-moran-zaks.ts';
import type { Mutant } from './mutant.ts';

export const korachMoranZaksAlwaysRises: Mutant = {
  ...korachMoranZaks,
  name: 'korach-moran-zaks-always-rises',
  of: 'korach-moran-zaks',
  lie: 'every annexation raises the phase, not only that of an equal: phases do not double kingdoms, and all hear of each',
  failingRun: { n: '5', start: '0' },
  on: {
    ...korachMoranZaks.on,
    accept(s, p, m, link) {
      korachMoranZaks.on.accept(s, p, s.state === 'king' ? { ...m, phase: s.rank.phase } : m, link);
    },
  },
};

export const korachMoranZaksHurries: Mutant = {
  ...korachMoranZaks,
  name: 'korach-moran-zaks-hurries',
  of: 'korach-moran-zaks',
  lie: 'a greater ask is passed on at once, before the one under way is settled, and that one loses its way back',
  failingRun: { n: '5', start: '0@57,1@120,2@9,3@24,4@15', latency: 'uniform:0:100', seed: '14601' },
  on: {
    ...korachMoranZaks.on,
    ask(s, p, m, link) {
      const before = s.asks.length;
      korachMoranZaks.on.ask(s, p, m, link);
      if (before === 0 || s.asks.length === before) return;
      s.asks = s.asks.slice(-1);
      p.send(s.father, m);
    },
  },
};

export const korachMoranZaksLeavesBehind: Mutant = {
  ...korachMoranZaks,
  name: 'korach-moran-zaks-leaves-behind',
  of: 'korach-moran-zaks',
  lie: 'a king that was beaten while it asked does not hand its new rank to the kingdom that still goes over to it',
  failingRun: { n: '3', seed: '7' },
  on: {
    ...korachMoranZaks.on,
    accept(s, p, m, link) {
      if (s.state === 'king' || s.tree.includes(link)) korachMoranZaks.on.accept(s, p, m, link);
      else s.tree.push(link);
    },
  },
};
