import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { algorithms, aliases, clockAlgorithms, leLann, sharedAlgorithms } from '../src/algorithms/index.ts';
import {
  algorithmInfo,
  aliasesOf,
  allMutants,
  catalogue,
  type EitherAlgorithm,
  families,
  isMutant,
  listed,
  messagePassing,
  resolve,
  titleOf,
} from '../src/catalogue/index.ts';
import { sourceFilesOf } from '../src/catalogue/source-files.ts';
import { InputError } from '../src/core/assert.ts';
import { isShared } from '../src/core/shared-algorithm.ts';
import { simulate } from '../src/sim/index.ts';

const titles: Readonly<Record<string, string>> = {
  'carvalho-roucairol': 'Carvalho–Roucairol',
  'central-coordinator': 'Central coordinator',
  'central-coordinator-denied': 'Central coordinator denied',
  'dijkstra-k-state': 'Dijkstra k state',
  'helary-plouzeau-raynal': 'Hélary–Plouzeau–Raynal',
  'helary-plouzeau-raynal-complete': 'Hélary–Plouzeau–Raynal complete',
  'helary-plouzeau-raynal-flooding': 'Hélary–Plouzeau–Raynal flooding',
  'helary-plouzeau-raynal-relinking': 'Hélary–Plouzeau–Raynal relinking',
  lamport: 'Lamport',
  'li-hudak': 'Li–Hudak',
  maekawa: 'Maekawa',
  martin: 'Martin',
  misra: 'Misra',
  'misra-k-tokens': 'Misra k tokens',
  'naimi-trehel': 'Naimi–Trehel',
  raymond: 'Raymond',
  'ricart-agrawala': 'Ricart–Agrawala',
  'ricart-agrawala-token': 'Ricart–Agrawala token',
  singhal: 'Singhal',
  'suzuki-kasami': 'Suzuki–Kasami',
  'token-ring': 'Token ring',
  'afek-gafni': 'Afek–Gafni',
  bully: 'Bully',
  'chang-roberts': 'Chang–Roberts',
  'dolev-klawe-rodeh': 'Dolev–Klawe–Rodeh',
  'dolev-klawe-rodeh-b': 'Dolev–Klawe–Rodeh B',
  'echo-extinction': 'Echo extinction',
  franklin: 'Franklin',
  'hirschberg-sinclair': 'Hirschberg–Sinclair',
  'itai-rodeh': 'Itai–Rodeh',
  'itai-rodeh-synchronous': 'Itai–Rodeh synchronous',
  'korach-moran-zaks': 'Korach–Moran–Zaks',
  'le-lann': 'Le Lann',
  'list-carrying-ring': 'List carrying ring',
  omega: 'Omega',
  peterson: 'Peterson',
  'peterson-improved': 'Peterson improved',
  'raft-election': 'Raft election',
  'total-order-broadcast': 'Total order broadcast',
  vitanyi: 'Vitányi',
  'vitanyi-minimal-time': 'Vitányi minimal time',
  'vitanyi-ring-size': 'Vitányi ring size',
  berkeley: 'Berkeley',
  cristian: 'Cristian',
  ntp: 'NTP',
  'ntp-multicast': 'NTP multicast',
  'ntp-symmetric': 'NTP symmetric',
  'berkeley+bully': 'Berkeley + Bully',
  bakery: 'Bakery',
  dekker: 'Dekker',
  'dijkstra-central-daemon': 'Dijkstra central daemon',
  'dijkstra-four-state': 'Dijkstra four state',
  'dijkstra-three-state': 'Dijkstra three state',
  'filter-lock': 'Filter lock',
  'peterson-lock': 'Peterson lock',
  'carvalho-roucairol-gives-away': 'Carvalho–Roucairol gives away',
  'central-coordinator-denied-forgets': 'Central coordinator denied forgets',
  'central-coordinator-denied-unheard': 'Central coordinator denied unheard',
  'central-coordinator-never-occupied': 'Central coordinator never occupied',
  'dijkstra-k-state-too-few': 'Dijkstra k state too few',
  'helary-plouzeau-raynal-by-name': 'Hélary–Plouzeau–Raynal by name',
  'helary-plouzeau-raynal-forgets': 'Hélary–Plouzeau–Raynal forgets',
  'helary-plouzeau-raynal-lets-go': 'Hélary–Plouzeau–Raynal lets go',
  'helary-plouzeau-raynal-local-names': 'Hélary–Plouzeau–Raynal local names',
  'helary-plouzeau-raynal-complete-counters': 'Hélary–Plouzeau–Raynal complete counters',
  'helary-plouzeau-raynal-complete-lets-go': 'Hélary–Plouzeau–Raynal complete lets go',
  'helary-plouzeau-raynal-complete-no-tick': 'Hélary–Plouzeau–Raynal complete no tick',
  'helary-plouzeau-raynal-flooding-hears-itself': 'Hélary–Plouzeau–Raynal flooding hears itself',
  'helary-plouzeau-raynal-flooding-last-copy': 'Hélary–Plouzeau–Raynal flooding last copy',
  'helary-plouzeau-raynal-flooding-lets-go': 'Hélary–Plouzeau–Raynal flooding lets go',
  'helary-plouzeau-raynal-flooding-local-names': 'Hélary–Plouzeau–Raynal flooding local names',
  'helary-plouzeau-raynal-relinking-neighbours-only': 'Hélary–Plouzeau–Raynal relinking neighbours only',
  'lamport-one-acknowledgement': 'Lamport one acknowledgement',
  'li-hudak-forgets': 'Li–Hudak forgets',
  'li-hudak-stays-owner': 'Li–Hudak stays owner',
  'maekawa-tells-one-only': 'Maekawa tells one only',
  'martin-lets-go': 'Martin lets go',
  'misra-modulo': 'Misra modulo',
  'misra-k-tokens-not-fresh': 'Misra k tokens not fresh',
  'naimi-trehel-no-reversal': 'Naimi–Trehel no reversal',
  'raymond-forgets-itself': 'Raymond forgets itself',
  'ricart-agrawala-no-clock-update': 'Ricart–Agrawala no clock update',
  'ricart-agrawala-no-tie-break': 'Ricart–Agrawala no tie break',
  'ricart-agrawala-token-gap': 'Ricart–Agrawala token gap',
  'ricart-agrawala-token-late-tick': 'Ricart–Agrawala token late tick',
  'ricart-agrawala-token-wrong-entry': 'Ricart–Agrawala token wrong entry',
  'singhal-learns-nothing': 'Singhal learns nothing',
  'suzuki-kasami-forgets': 'Suzuki–Kasami forgets',
  'token-ring-as-printed': 'Token ring as printed',
  'token-ring-hurries': 'Token ring hurries',
  'suzuki-kasami+chandy-lamport-empty-channels': 'Suzuki–Kasami + Chandy–Lamport empty channels',
  'suzuki-kasami+chandy-lamport-forgets-marker': 'Suzuki–Kasami + Chandy–Lamport forgets marker',
  'suzuki-kasami+chandy-lamport-late-marker': 'Suzuki–Kasami + Chandy–Lamport late marker',
  'suzuki-kasami+chandy-lamport-records-on': 'Suzuki–Kasami + Chandy–Lamport records on',
  'afek-gafni-forgets': 'Afek–Gafni forgets',
  'afek-gafni-yields': 'Afek–Gafni yields',
  'bully-answers-superiors': 'Bully answers superiors',
  'bully-follows-the-dead': 'Bully follows the dead',
  'bully-ignores-crashes': 'Bully ignores crashes',
  'bully-short-cut': 'Bully short cut',
  'bully-tells-inferiors': 'Bully tells inferiors',
  'bully-tolerates-inferiors': 'Bully tolerates inferiors',
  'chang-roberts-clears-twice': 'Chang–Roberts clears twice',
  'chang-roberts-lost-negation': 'Chang–Roberts lost negation',
  'chang-roberts-no-guard': 'Chang–Roberts no guard',
  'hirschberg-sinclair-first-copy': 'Hirschberg–Sinclair first copy',
  'echo-extinction-counts-all': 'Echo extinction counts all',
  'echo-extinction-joins': 'Echo extinction joins',
  'hirschberg-sinclair-lost-negation': 'Hirschberg–Sinclair lost negation',
  'hirschberg-sinclair-waits': 'Hirschberg–Sinclair waits',
  'itai-rodeh-not-unique': 'Itai–Rodeh not unique',
  'itai-rodeh-same-coin': 'Itai–Rodeh same coin',
  'itai-rodeh-synchronous-hurries': 'Itai–Rodeh synchronous hurries',
  'itai-rodeh-synchronous-keeps-all': 'Itai–Rodeh synchronous keeps all',
  'le-lann-announcement-decides': 'Le Lann announcement decides',
  'le-lann-complete-at-once': 'Le Lann complete at once',
  'le-lann-no-guard': 'Le Lann no guard',
  'le-lann-own-number-last': 'Le Lann own number last',
  'list-carrying-ring-initiators-pass': 'List carrying ring initiators pass',
  'list-carrying-ring-stops-at-leader': 'List carrying ring stops at leader',
  'dolev-klawe-rodeh-passive-at-first': 'Dolev–Klawe–Rodeh passive at first',
  'dolev-klawe-rodeh-b-passes-all': 'Dolev–Klawe–Rodeh B passes all',
  'franklin-forgets': 'Franklin forgets',
  'peterson-never-stops': 'Peterson never stops',
  'peterson-strict': 'Peterson strict',
  'peterson-improved-odd-only': 'Peterson improved odd only',
  'omega-keeps-timeouts': 'Omega keeps timeouts',
  'omega-never-returns': 'Omega never returns',
  'raft-election-fixed-timeouts': 'Raft election fixed timeouts',
  'raft-election-ignores-later-terms': 'Raft election ignores later terms',
  'raft-election-no-majority': 'Raft election no majority',
  'raft-election-votes-twice': 'Raft election votes twice',
  'korach-moran-zaks-always-rises': 'Korach–Moran–Zaks always rises',
  'korach-moran-zaks-hurries': 'Korach–Moran–Zaks hurries',
  'korach-moran-zaks-leaves-behind': 'Korach–Moran–Zaks leaves behind',
  'total-order-broadcast-impatient': 'Total order broadcast impatient',
  'vitanyi-as-printed': 'Vitányi as printed',
  'vitanyi-keeps-timer': 'Vitányi keeps timer',
  'vitanyi-minimal-time-never-fires': 'Vitányi minimal time never fires',
  'vitanyi-names-anybody': 'Vitányi names anybody',
  'vitanyi-ring-size-hurries': 'Vitányi ring size hurries',
  'vitanyi-scaled': 'Vitányi scaled',
  'vitanyi-slow-growth': 'Vitányi slow growth',
  'berkeley-averages-all': 'Berkeley averages all',
  'berkeley-sends-times': 'Berkeley sends times',
  'cristian-forgets-the-way': 'Cristian forgets the way',
  'cristian-keeps-the-last': 'Cristian keeps the last',
  'ntp-forgets-strata': 'NTP forgets strata',
  'ntp-keeps-the-latest': 'NTP keeps the latest',
  'ntp-multicast-forgets-the-way': 'NTP multicast forgets the way',
  'ntp-symmetric-forgets-strata': 'NTP symmetric forgets strata',
  'bakery-no-choosing': 'Bakery no choosing',
  'bakery-no-names': 'Bakery no names',
  'dekker-after-you': 'Dekker after you',
  'dekker-insists': 'Dekker insists',
  'dekker-looks-first': 'Dekker looks first',
  'dijkstra-central-daemon-moves-early': 'Dijkstra central daemon moves early',
  'dijkstra-central-daemon-too-few': 'Dijkstra central daemon too few',
  'dijkstra-four-state-no-direction': 'Dijkstra four state no direction',
  'dijkstra-three-state-one-sided': 'Dijkstra three state one sided',
  'filter-lock-one-level-short': 'Filter lock one level short',
  'peterson-lock-turn-first': 'Peterson lock turn first',
  'central-coordinator+bully-grants-at-once': 'Central coordinator + Bully grants at once',
  'chang-roberts+rounds-leader-only': 'Chang–Roberts + Rounds leader only',
  'chang-roberts+rounds-mixed': 'Chang–Roberts + Rounds mixed',
  'chang-roberts+rounds-open-ring': 'Chang–Roberts + Rounds open ring',
  'token-ring+bully-goes-on': 'Token ring + Bully goes on',
  'token-ring+bully-hears-at-once': 'Token ring + Bully hears at once',
};

const locks = algorithms.filter(({ problem }) => problem === 'mutex');
const names = (search: string) => families(search).flatMap(({ members }) => members.map(({ name }) => name));

function refusal(name: string): string {
  try {
    return `is ${resolve(name).name}`;
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as Error).message;
  }
}

describe('resolve', () => {
  test('finds algorithms, aliases and mutants', () => {
    const all = [...algorithms, ...clockAlgorithms, ...sharedAlgorithms, ...allMutants];
    for (const algorithm of all) expect(resolve(algorithm.name)).toBe(algorithm);
    for (const [alias, algorithm] of Object.entries(aliases)) expect(resolve(alias)).toBe(algorithm);
    expect(aliasesOf(leLann)).toEqual(['active-list-ring']);
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  });

  test('returns one object for all names of a composition', () => {
    const composed = [
      ...locks.map(({ name }) => `${name}+bully`),
      ...locks.map(({ name }) => `${name}+chang-roberts`),
      ...[...algorithms, ...clockAlgorithms].map(({ name }) => `${name}+chandy-lamport`),
      ...['berkeley+bully', 'token-ring+bully+chandy-lamport', 'suzuki-kasami-forgets+bully'],
      'token-ring+bully-goes-on+chandy-lamport',
    ];
    for (const name of composed) {
      expect(resolve(name).name).toBe(name);
      expect(resolve(name)).toBe(resolve(name));
    }
    expect(resolve('token-ring+active-list-ring')).toBe(resolve('token-ring+le-lann'));
    expect(resolve('active-list-ring+chandy-lamport')).toBe(resolve('le-lann+chandy-lamport'));
    expect(simulate(resolve('token-ring+bully+chandy-lamport'), { n: 3 }).ok).toBe(true);
  });

  test.each([
    ['raimond', "no algorithm is called 'raimond'; did you mean raymond"],
    ['active-list-rings', "no algorithm is called 'active-list-rings'; did you mean active-list-ring"],
    ['dekker-insist', "no algorithm is called 'dekker-insist'; did you mean dekker-insists"],
    ['token-ring+buly', "no algorithm is called 'buly'; did you mean bully"],
    ['xyzzy', "no algorithm is called 'xyzzy': see baton list"],
    ['__proto__', "no algorithm is called '__proto__': see baton list"],
    ['', "no algorithm is called '': see baton list"],
    ['chandy-lamport', "'chandy-lamport' goes beside another algorithm: write token-ring+chandy-lamport"],
    ['raymond+chandy-lamport+chandy-lamport', 'takes snapshots already: leave out +chandy-lamport'],
    ['token-ring+bully+bully', "'token-ring+bully+bully': write LOCK+ELECTION, as in token-ring+bully"],
    ['+', "'+': write LOCK+ELECTION, as in token-ring+bully"],
    ['bully+token-ring', 'bully is not a lock: write LOCK+ELECTION'],
    ['bakery+bully', 'the processes of bakery share memory: choose an algorithm that sends messages'],
  ])('rejects %s', (name, says) => {
    expect(refusal(name)).toContain(says);
    expect(refusal(name)).not.toMatch(/[.?!] /);
  });
});

test('titles use the usual names of algorithms', () => {
  const shown = Object.fromEntries(
    [...catalogue, resolve('berkeley+bully'), ...allMutants].map((one) => [one.name, titleOf(one)]),
  );
  expect(shown, 'list the titles of a new algorithm and its mutants above').toEqual(titles);
  expect(titleOf(resolve('raymond+chandy-lamport'))).toBe('Raymond + Chandy–Lamport');
  expect(titleOf({ name: 'mine' })).toBe('Mine');
});

describe('search', () => {
  test('matches name, alias, problem, network and assumption', () => {
    expect(names('ricart')).toContain('ricart-agrawala');
    expect(names('active-list')).toContain('le-lann');
    expect(names('election two-way')).toEqual(expect.arrayContaining(['franklin', 'hirschberg-sinclair']));
    expect(names('crash')).toContain('bully');
    expect(names('shared memory crash')).toEqual(['bakery', 'bakery-no-choosing', 'bakery-no-names']);
    expect(names('clocks')).toEqual(
      expect.arrayContaining(['cristian', 'berkeley', 'berkeley+bully', 'ntp', 'ntp-symmetric']),
    );
    expect(names('no such thing')).toEqual([]);
    expect(new Set(names(''))).toEqual(new Set(listed.map(({ name }) => name)));
    expect(families('').at(-1)!.title).toBe('Wrong on purpose');
  });

  test('finds a composition that is not listed', () => {
    expect(families('raymond+bully')[0]).toEqual({
      title: 'Composition',
      members: [resolve('raymond+bully')],
    });
    expect(names('token-ring+bully')[0]).toBe('token-ring+bully');
    expect(names('raymond+bul')).toEqual([]);
  });
});

describe('algorithm info', () => {
  const composed = ['raymond+bully', 'raymond+chandy-lamport', 'bully+chandy-lamport'].map(resolve);

  test('has the same fields for both contracts', () => {
    for (const algorithm of [...listed, ...composed]) {
      const facts = algorithmInfo(algorithm);
      expect(facts.counts).toBe(isShared(algorithm) ? 'accesses' : 'messages');
      expect(facts.registers(facts.sizes.max ?? 3).length > 0).toBe(isShared(algorithm));
      expect(facts.shapes.length > 0).toBe(!isShared(algorithm));
      expect(facts.assumptions.length).toBeGreaterThan(1);
      for (const bound of algorithm.bounds)
        expect(facts.kinds).toEqual(expect.arrayContaining([...bound.counts]));
    }
    expect(algorithmInfo(resolve('lamport')).assumptions).toEqual([
      'everybody knows everybody',
      'FIFO channels',
      'no failures',
    ]);
    expect(algorithmInfo(resolve('dekker'))).toMatchObject({ sizes: { min: 2, max: 2 }, knows: ['me', 'n'] });
  });

  test('a mutant has the token of its original', () => {
    for (const { name, of } of allMutants)
      expect(algorithmInfo(resolve(name)).token === undefined, name).toBe(
        algorithmInfo(resolve(of)).token === undefined,
      );
  });

  test('the source files of each algorithm exist', () => {
    const exists = (path: string) => existsSync(`src/${path}`);
    const of = (name: string) => sourceFilesOf(resolve(name), exists);
    for (const algorithm of [...listed, ...composed] as EitherAlgorithm[]) {
      const files = sourceFilesOf(algorithm, exists);
      expect(files.length, algorithm.name).toBeGreaterThan(isMutant(algorithm) ? 1 : 0);
      expect(files.filter((file) => !exists(file))).toEqual([]);
    }
    expect(of('dolev-klawe-rodeh-b-passes-all').slice(0, 2)).toEqual([
      'mutants/dolev-klawe-rodeh-b.ts',
      'algorithms/election/dolev-klawe-rodeh-b.ts',
    ]);
    expect(of('token-ring+bully')).toEqual([
      'compositions/lock-recovery.ts',
      'algorithms/mutex/token-ring.ts',
      'algorithms/election/bully.ts',
    ]);
    expect(of('peterson+rounds')).toEqual([
      'compositions/repeated-election.ts',
      'algorithms/election/peterson.ts',
    ]);
    expect(of('chang-roberts+rounds-mixed')[0]).toBe('mutants/repeated-election.ts');
    expect(of('berkeley+bully')[0]).toBe('compositions/clock-master-recovery.ts');
    expect(of('raymond+chandy-lamport')[0]).toBe('compositions/chandy-lamport.ts');
    expect(of('token-ring+bully-goes-on')[0]).toBe('mutants/lock-recovery.ts');
  });
});

test('only message-passing algorithms can be composed and measured', () => {
  expect(messagePassing(leLann)).toBe(leLann);
  expect(() => messagePassing(resolve('dekker'))).toThrow('the processes of dekker share memory');
});
