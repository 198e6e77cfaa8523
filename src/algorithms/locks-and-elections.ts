// The algorithms that groups of real processes run: locks by messages, and elections.
import type { AnyAlgorithm } from '../core/algorithm.ts';
import { afekGafni } from './election/afek-gafni.ts';
import { bully } from './election/bully.ts';
import { changRoberts } from './election/chang-roberts.ts';
import { dolevKlaweRodeh } from './election/dolev-klawe-rodeh.ts';
import { dolevKlaweRodehB } from './election/dolev-klawe-rodeh-b.ts';
import { echoExtinction } from './election/echo-extinction.ts';
import { franklin } from './election/franklin.ts';
import { hirschbergSinclair } from './election/hirschberg-sinclair.ts';
import { itaiRodeh } from './election/itai-rodeh.ts';
import { itaiRodehSynchronous } from './election/itai-rodeh-synchronous.ts';
import { korachMoranZaks } from './election/korach-moran-zaks.ts';
import { leLann } from './election/le-lann.ts';
import { listCarryingRing } from './election/list-carrying-ring.ts';
import { omega } from './election/omega.ts';
import { peterson } from './election/peterson.ts';
import { petersonImproved } from './election/peterson-improved.ts';
import { raftElection } from './election/raft-election.ts';
import { totalOrderBroadcast } from './election/total-order-broadcast.ts';
import { vitanyi, vitanyiMinimalTime } from './election/vitanyi.ts';
import { vitanyiRingSize } from './election/vitanyi-ring-size.ts';
import { carvalhoRoucairol } from './mutex/carvalho-roucairol.ts';
import { centralCoordinator } from './mutex/central-coordinator.ts';
import { centralCoordinatorDenied } from './mutex/central-coordinator-denied.ts';
import { dijkstraKState } from './mutex/dijkstra-k-state.ts';
import { helaryPlouzeauRaynal } from './mutex/helary-plouzeau-raynal.ts';
import { helaryPlouzeauRaynalComplete } from './mutex/helary-plouzeau-raynal-complete.ts';
import { helaryPlouzeauRaynalFlooding } from './mutex/helary-plouzeau-raynal-flooding.ts';
import { helaryPlouzeauRaynalRelinking } from './mutex/helary-plouzeau-raynal-relinking.ts';
import { lamport } from './mutex/lamport.ts';
import { liHudak } from './mutex/li-hudak.ts';
import { maekawa } from './mutex/maekawa.ts';
import { martin } from './mutex/martin.ts';
import { misra } from './mutex/misra.ts';
import { kTokens, misraKTokens } from './mutex/misra-k-tokens.ts';
import { naimiTrehel } from './mutex/naimi-trehel.ts';
import { raymond } from './mutex/raymond.ts';
import { ricartAgrawala } from './mutex/ricart-agrawala.ts';
import { ricartAgrawalaToken } from './mutex/ricart-agrawala-token.ts';
import { singhal } from './mutex/singhal.ts';
import { suzukiKasami } from './mutex/suzuki-kasami.ts';
import { tokenRing } from './mutex/token-ring.ts';

export { archimedean } from './election/vitanyi.ts';
export { dyadic, dyadicBits, fromDyadic } from './election/vitanyi-dyadic.ts';
export {
  afekGafni,
  bully,
  carvalhoRoucairol,
  centralCoordinator,
  centralCoordinatorDenied,
  changRoberts,
  dijkstraKState,
  dolevKlaweRodeh,
  dolevKlaweRodehB,
  echoExtinction,
  franklin,
  helaryPlouzeauRaynal,
  helaryPlouzeauRaynalComplete,
  helaryPlouzeauRaynalFlooding,
  helaryPlouzeauRaynalRelinking,
  hirschbergSinclair,
  itaiRodeh,
  itaiRodehSynchronous,
  korachMoranZaks,
  kTokens,
  lamport,
  leLann,
  liHudak,
  listCarryingRing,
  maekawa,
  martin,
  misra,
  misraKTokens,
  naimiTrehel,
  omega,
  peterson,
  petersonImproved,
  raftElection,
  raymond,
  ricartAgrawala,
  ricartAgrawalaToken,
  singhal,
  suzukiKasami,
  tokenRing,
  totalOrderBroadcast,
  vitanyi,
  vitanyiMinimalTime,
  vitanyiRingSize,
};

/** Every message-passing algorithm for mutual exclusion or election, by problem and then by name. */
export const algorithms: readonly AnyAlgorithm[] = [
  carvalhoRoucairol,
  centralCoordinator,
  centralCoordinatorDenied,
  dijkstraKState,
  helaryPlouzeauRaynal,
  helaryPlouzeauRaynalComplete,
  helaryPlouzeauRaynalFlooding,
  helaryPlouzeauRaynalRelinking,
  lamport,
  liHudak,
  maekawa,
  martin,
  misra,
  misraKTokens,
  naimiTrehel,
  raymond,
  ricartAgrawala,
  ricartAgrawalaToken,
  singhal,
  suzukiKasami,
  tokenRing,
  afekGafni,
  bully,
  changRoberts,
  dolevKlaweRodeh,
  dolevKlaweRodehB,
  echoExtinction,
  franklin,
  hirschbergSinclair,
  itaiRodeh,
  itaiRodehSynchronous,
  korachMoranZaks,
  leLann,
  listCarryingRing,
  omega,
  peterson,
  petersonImproved,
  raftElection,
  totalOrderBroadcast,
  vitanyi,
  vitanyiMinimalTime,
  vitanyiRingSize,
];

/** Other names that texts give to the same algorithm. */
export const aliases: Readonly<Record<string, AnyAlgorithm>> = { 'active-list-ring': leLann };
