// The JSON of the API as the page reads it. For the type checker alone; not served.

type Pool = "ace" | "king" | "queen" | "jack" | "ten" | "marriage" | "sequence" | "poch" | "pinke";
type Phase = "none" | "idle" | "meld" | "pochen" | "showdown" | "shed" | "closed";
type Value = string | number | boolean | string[] | [number, number];
type Parameters_ = Record<string, Value>;
/** Seat, stack and net. */
type Standing = [number, number, number];

/** What the ledger's fold gives at an entry. */
interface Table {
  phase: Phase;
  deal: number;
  dealer: number | null;
  to_act: number | null;
  leader: number | null;
  knocker: number | null;
  trump: string | null;
  pools: Partial<Record<Pool, number>>;
  stacks: Record<string, number>;
  bought: Record<string, number>;
  live: number[];
  /** Seat to place, of those that have not left. */
  places: Record<string, number>;
  blocked: Pool[];
  committed: Record<string, number>;
  bank: number;
  standings: Standing[] | null;
}

interface Lobby {
  places: number[];
  dealer: number | null;
  armed: boolean;
}

interface Pending {
  seat?: number;
  place?: number;
  chips?: number;
  hands?: number[];
  cards?: Record<string, number>;
  lobby?: Lobby | null;
}

interface RulesetInfo {
  name: string;
  source?: string;
  parameters: Parameters_;
  shipped?: boolean;
}

/** The answer of GET /api/state and the data of the event `state`. */
interface State extends Table {
  night: number | null;
  ruleset: RulesetInfo | null;
  names: Record<string, string>;
  entry: number;
  pending: Pending | null;
  allowed: { commands: string[]; buttons: string[] };
  board: { kind: string; link: boolean; simulated: boolean; places?: number; pixels_per_ring?: number };
  pairing: { open: boolean; until_ms: number | null; paired: boolean };
  revision: number;
  need: number | null;
  deck: number | null;
  turned: string | null;
  winner: number | null;
  hand_sizes: Record<string, number>;
  /** Seats that are out of the betting of this deal. */
  passed?: number[];
  /** The starting stack of this night. */
  stack?: number;
  demo: Demo | null;
  undoes: string | null;
  redoes: string | null;
  last_sentence: string | null;
}

/** House players at the table, and all that lies open of the cards. Seats are keys. */
interface Demo {
  /** The temperament of each house player; `person` where somebody has taken the seat. */
  players: Record<string, string>;
  turned: string | null;
  held: Record<string, number>;
  run: { seat: number; card: string }[];
  /** Who took that run; null while it goes on. */
  taker: number | null;
  /** What the run counts, where cards are added up to 31. */
  count: number | null;
  /** The cards played before this run. */
  laid: string[];
  shown: Record<string, string[]>;
  waits: { seat: number; what: "meld" | "bet" | "lay" } | null;
  /** The commentary, newest line last. */
  lines: string[];
  seed: string;
  speed: number;
  stuck: string | null;
}

/** What a person who has taken a seat holds, and may do with it. */
interface Hand {
  seat: number;
  cards: string[];
  playable: string[];
  due: Pool[];
}

interface Refused {
  code: string;
  message: string;
  button?: string[];
  command?: string | null;
}

interface Entry {
  number: number;
  time_ms: number;
  command: { do: string; [field: string]: unknown };
  sentence: string;
  postings: [string, number][];
  ref: number | null;
  state: Table & Partial<State>;
  names: Record<string, string>;
}

interface BoardLook {
  places: number;
  pixels_per_ring: number;
  palette: string[];
}

interface Night {
  number: number;
  started_ms: number;
  ended_ms: number | null;
  ruleset: string;
  players: string[];
  deals: number;
  entries: number;
  imported: boolean;
  standings: Standing[] | null;
  names: Record<string, string>;
  board: BoardLook;
}

interface Pairing {
  number: number;
  label: string;
  paired_ms: number;
  used_ms: number;
  this: boolean;
}

type Command = { do: string; [field: string]: unknown };
/** What became of a command: booked, or why not. */
type Answer = { ok: true; entry: number } | { ok: false; code: string; message: string };
/** Sends a command and tells the refusal, if any, where the command was given. */
type Send = (command: Command) => Promise<Answer>;
