import { afekGafniForgets, afekGafniYields } from './afek-gafni.ts';
import { bakeryNoChoosing, bakeryNoNames } from './bakery.ts';
import { berkeleyAveragesAll, berkeleySendsTimes } from './berkeley.ts';
import {
  bullyAnswersSuperiors,
  bullyFollowsTheDead,
  bullyIgnoresCrashes,
  bullyShortCut,
  bullyTellsInferiors,
  bullyToleratesInferiors,
} from './bully.ts';
import { carvalhoRoucairolGivesAway } from './carvalho-roucairol.ts';
import { centralCoordinatorNeverOccupied } from './central-coordinator.ts';
import {
  centralCoordinatorDeniedForgets,
  centralCoordinatorDeniedUnheard,
} from './central-coordinator-denied.ts';
import { changRobertsClearsTwice, changRobertsLostNegation, changRobertsNoGuard } from './chang-roberts.ts';
import { cristianForgetsTheWay, cristianKeepsTheLast } from './cristian.ts';
import { dekkerAfterYou, dekkerInsists, dekkerLooksFirst } from './dekker.ts';
import { dijkstraCentralDaemonMovesEarly, dijkstraCentralDaemonTooFew } from './dijkstra-central-daemon.ts';
import { dijkstraFourStateNoDirection } from './dijkstra-four-state.ts';
import { dijkstraKStateTooFew } from './dijkstra-k-state.ts';
import { dijkstraThreeStateOneSided } from './dijkstra-three-state.ts';
import { dolevKlaweRodehPassiveAtFirst } from './dolev-klawe-rodeh.ts';
import { dolevKlaweRodehBPassesAll } from './dolev-klawe-rodeh-b.ts';
import { echoExtinctionCountsAll, echoExtinctionJoins } from './echo-extinction.ts';
import { filterLockOneLevelShort } from './filter-lock.ts';
import { franklinForgets } from './franklin.ts';
import {
  helaryPlouzeauRaynalByName,
  helaryPlouzeauRaynalForgets,
  helaryPlouzeauRaynalLetsGo,
} from './helary-plouzeau-raynal.ts';
import {
  helaryPlouzeauRaynalCompleteCounters,
  helaryPlouzeauRaynalCompleteLetsGo,
  helaryPlouzeauRaynalCompleteNoTick,
} from './helary-plouzeau-raynal-complete.ts';
import {
  helaryPlouzeauRaynalFloodingHearsItself,
  helaryPlouzeauRaynalFloodingLastCopy,
  helaryPlouzeauRaynalFloodingLetsGo,
} from './helary-plouzeau-raynal-flooding.ts';
import { helaryPlouzeauRaynalRelinkingNeighboursOnly } from './helary-plouzeau-raynal-relinking.ts';
import {
  hirschbergSinclairFirstCopy,
  hirschbergSinclairLostNegation,
  hirschbergSinclairWaits,
} from './hirschberg-sinclair.ts';
import { itaiRodehNotUnique, itaiRodehSameCoin } from './itai-rodeh.ts';
import { itaiRodehSynchronousHurries, itaiRodehSynchronousKeepsAll } from './itai-rodeh-synchronous.ts';
import {
  korachMoranZaksAlwaysRises,
  korachMoranZaksHurries,
  korachMoranZaksLeavesBehind,
} from './korach-moran-zaks.ts';
import { lamportOneAcknowledgement } from './lamport.ts';
import {
  leLannAnnouncementDecides,
  leLannCompleteAtOnce,
  leLannNoGuard,
  leLannOwnNumberLast,
} from './le-lann.ts';
import { liHudakForgets, liHudakStaysOwner } from './li-hudak.ts';
import { listCarryingRingInitiatorsPass, listCarryingRingStopsAtLeader } from './list-carrying-ring.ts';
import { helaryPlouzeauRaynalFloodingLocalNames, helaryPlouzeauRaynalLocalNames } from './local-names.ts';
import {
  centralCoordinatorBullyGrantsAtOnce,
  tokenRingBullyGoesOn,
  tokenRingBullyHearsAtOnce,
} from './lock-recovery.ts';
import { maekawaTellsOneOnly } from './maekawa.ts';
import { martinLetsGo } from './martin.ts';
import { misraModulo } from './misra.ts';
import { misraKTokensNotFresh } from './misra-k-tokens.ts';
import type { Mutant, SharedMutant } from './mutant.ts';
import { naimiTrehelNoReversal } from './naimi-trehel.ts';
import { ntpForgetsStrata, ntpKeepsTheLatest } from './ntp.ts';
import { ntpMulticastForgetsTheWay } from './ntp-multicast.ts';
import { ntpSymmetricForgetsStrata } from './ntp-symmetric.ts';
import { omegaKeepsTimeouts, omegaNeverReturns } from './omega.ts';
import { petersonNeverStops, petersonStrict } from './peterson.ts';
import { petersonImprovedOddOnly } from './peterson-improved.ts';
import { petersonLockTurnFirst } from './peterson-lock.ts';
import {
  raftElectionFixedTimeouts,
  raftElectionIgnoresLaterTerms,
  raftElectionNoMajority,
  raftElectionVotesTwice,
} from './raft-election.ts';
import { raymondForgetsItself } from './raymond.ts';
import {
  changRobertsRoundsLeaderOnly,
  changRobertsRoundsMixed,
  changRobertsRoundsOpenRing,
} from './repeated-election.ts';
import { ricartAgrawalaNoClockUpdate, ricartAgrawalaNoTieBreak } from './ricart-agrawala.ts';
import {
  ricartAgrawalaTokenGap,
  ricartAgrawalaTokenLateTick,
  ricartAgrawalaTokenWrongEntry,
} from './ricart-agrawala-token.ts';
import { singhalLearnsNothing } from './singhal.ts';
import { suzukiKasamiForgets } from './suzuki-kasami.ts';
import { tokenRingAsPrinted, tokenRingHurries } from './token-ring.ts';
import { totalOrderBroadcastImpatient } from './total-order-broadcast.ts';
import {
  vitanyiAsPrinted,
  vitanyiKeepsTimer,
  vitanyiMinimalTimeNeverFires,
  vitanyiNamesAnybody,
  vitanyiScaled,
  vitanyiSlowGrowth,
} from './vitanyi.ts';
import { vitanyiRingSizeHurries } from './vitanyi-ring-size.ts';
import {
  chandyLamportEmptyChannels,
  chandyLamportForgetsMarker,
  chandyLamportLateMarker,
  chandyLamportRecordsOn,
} from './with-snapshots.ts';

export type { Mutant, SharedMutant } from './mutant.ts';

/**
 * Mutants of the locks and elections that send messages, by problem.
 * @example
 * import { check } from 'batonjs-lab/check';
 * import { mutants } from 'batonjs-lab/mutants';
 *
 * const mutant = mutants.find(({ name }) => name === 'ricart-agrawala-no-clock-update')!;
 * console.log(mutant.lie);
 * check(mutant, { n: 2 }, { lemmas: false }).violation?.property; // → 'at most one inside'
 */
export const mutants: readonly Mutant[] = [
  carvalhoRoucairolGivesAway,
  centralCoordinatorDeniedForgets,
  centralCoordinatorDeniedUnheard,
  centralCoordinatorNeverOccupied,
  dijkstraKStateTooFew,
  helaryPlouzeauRaynalByName,
  helaryPlouzeauRaynalForgets,
  helaryPlouzeauRaynalLetsGo,
  helaryPlouzeauRaynalLocalNames,
  helaryPlouzeauRaynalCompleteCounters,
  helaryPlouzeauRaynalCompleteLetsGo,
  helaryPlouzeauRaynalCompleteNoTick,
  helaryPlouzeauRaynalFloodingHearsItself,
  helaryPlouzeauRaynalFloodingLastCopy,
  helaryPlouzeauRaynalFloodingLetsGo,
  helaryPlouzeauRaynalFloodingLocalNames,
  helaryPlouzeauRaynalRelinkingNeighboursOnly,
  lamportOneAcknowledgement,
  liHudakForgets,
  liHudakStaysOwner,
  maekawaTellsOneOnly,
  martinLetsGo,
  misraModulo,
  misraKTokensNotFresh,
  naimiTrehelNoReversal,
  raymondForgetsItself,
  ricartAgrawalaNoClockUpdate,
  ricartAgrawalaNoTieBreak,
  ricartAgrawalaTokenGap,
  ricartAgrawalaTokenLateTick,
  ricartAgrawalaTokenWrongEntry,
  singhalLearnsNothing,
  suzukiKasamiForgets,
  tokenRingAsPrinted,
  tokenRingHurries,
  centralCoordinatorBullyGrantsAtOnce,
  tokenRingBullyGoesOn,
  tokenRingBullyHearsAtOnce,
  changRobertsRoundsLeaderOnly,
  changRobertsRoundsMixed,
  changRobertsRoundsOpenRing,
  chandyLamportEmptyChannels,
  chandyLamportForgetsMarker,
  chandyLamportLateMarker,
  chandyLamportRecordsOn,
  afekGafniForgets,
  afekGafniYields,
  bullyAnswersSuperiors,
  bullyFollowsTheDead,
  bullyIgnoresCrashes,
  bullyShortCut,
  bullyTellsInferiors,
  bullyToleratesInferiors,
  changRobertsClearsTwice,
  changRobertsLostNegation,
  changRobertsNoGuard,
  hirschbergSinclairFirstCopy,
  echoExtinctionCountsAll,
  echoExtinctionJoins,
  hirschbergSinclairLostNegation,
  hirschbergSinclairWaits,
  itaiRodehNotUnique,
  itaiRodehSameCoin,
  itaiRodehSynchronousHurries,
  itaiRodehSynchronousKeepsAll,
  leLannAnnouncementDecides,
  leLannCompleteAtOnce,
  leLannNoGuard,
  leLannOwnNumberLast,
  listCarryingRingInitiatorsPass,
  listCarryingRingStopsAtLeader,
  dolevKlaweRodehPassiveAtFirst,
  dolevKlaweRodehBPassesAll,
  franklinForgets,
  petersonNeverStops,
  petersonStrict,
  petersonImprovedOddOnly,
  omegaKeepsTimeouts,
  omegaNeverReturns,
  raftElectionFixedTimeouts,
  raftElectionIgnoresLaterTerms,
  raftElectionNoMajority,
  raftElectionVotesTwice,
  korachMoranZaksAlwaysRises,
  korachMoranZaksHurries,
  korachMoranZaksLeavesBehind,
  totalOrderBroadcastImpatient,
  vitanyiAsPrinted,
  vitanyiKeepsTimer,
  vitanyiMinimalTimeNeverFires,
  vitanyiNamesAnybody,
  vitanyiRingSizeHurries,
  vitanyiScaled,
  vitanyiSlowGrowth,
];

/** Mutants of the algorithms that synchronise clocks. */
export const clockMutants: readonly Mutant[] = [
  berkeleyAveragesAll,
  berkeleySendsTimes,
  cristianForgetsTheWay,
  cristianKeepsTheLast,
  ntpForgetsStrata,
  ntpKeepsTheLatest,
  ntpMulticastForgetsTheWay,
  ntpSymmetricForgetsStrata,
];

/** Mutants of the locks on shared memory. */
export const sharedMutants: readonly SharedMutant[] = [
  bakeryNoChoosing,
  bakeryNoNames,
  dekkerAfterYou,
  dekkerInsists,
  dekkerLooksFirst,
  dijkstraCentralDaemonMovesEarly,
  dijkstraCentralDaemonTooFew,
  dijkstraFourStateNoDirection,
  dijkstraThreeStateOneSided,
  filterLockOneLevelShort,
  petersonLockTurnFirst,
];
