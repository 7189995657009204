// What keeps each promise, and how its twin takes that away: the table `npm run check:safety -- --list` prints. What turns
// red is the figure of the check, counted in its own unit. Knows the checks by their ids only.

/** The guard of one check, and what the twin does to it. */
export interface GuardEntry {
  readonly guard: string
  readonly twin: string
}

const entry = (guard: string, twin: string): GuardEntry => ({ guard, twin })

const noHost = 'the guard of Host lets everything pass'
const noOrigin = 'the guard of Origin lets everything pass'
const noCookieRule = 'the rule for cookies lets everything pass'
const everybodyAll = 'an authorizer that lets everybody do everything'
const neverForgets = 'a lookup of credentials that never forgets one that held once'

/** By id of the check. */
export const guardTable: Readonly<Record<string, GuardEntry>> = {
  C1: entry('rights in every channel that reads', 'one mask at a time is off: rows, fields, objects'),
  C1o: entry('the organization in every row condition', 'row conditions without the organization'),
  C1u: entry('unique values and people of the own organization', 'one organization for both questions'),
  C2: entry('unreadable fields and rows are unknown to queries', 'masks of rows or of fields are off'),
  C2f: entry('clauses about unreadable fields answer like unknown fields', 'fields are not masked'),
  C3: entry('records that may not be seen answer like none', everybodyAll),
  C5: entry('the authorizer over sets, roles, shares and owners', everybodyAll),
  C6: entry('sessions, keys and memberships are looked up anew', neverForgets),
  C7: entry('the fingerprint of rights in ETags', 'the same fingerprint for everybody'),
  C8: entry('cursors sealed for caller, organization and query', 'the second caller is the first'),
  C9: entry('filtered views on a read-only connection, one reading statement', 'a plain connection that may write'),
  C10: entry('the name of who acts stands in every context', 'callers without the name of who acts as them'),
  C11: entry('cells that begin like formulas are neutralised', 'cells as they are'),
  D4: entry('secure_delete and what a purge removes', 'secure_delete is off'),
  D5: entry('the end of sessions in the lookup', neverForgets),
  D6: entry('what is logged, and how lines are written', 'a plugin that logs everything, lines written raw'),
  D7: entry('the audit hears every event that matters', 'an audit that hears nothing'),
  D7b: entry('chained entries and an anchor outside the table', 'no anchor outside the table'),
  D7k: entry('entries in the transaction of what they tell', 'entries written a little later'),
  L1: entry('files made private at creation', 'a file made with the rights of the system'),
  L2: entry('the token is in the connection file only', 'a child that is given the token as argument'),
  L3: entry('the host proves itself before a token is sent', 'a client that asks for no proof'),
  L4: entry('links are not followed', 'a writer that follows links'),
  N1: entry('attempts are counted before they are judged, in rows', 'attempts are not counted'),
  N2: entry('known and unknown names take the same way', 'a handler that looks for the account first'),
  N2c: entry('a hash for unknown names', 'a login that answers unknown names at once'),
  N2t: entry('a hash for unknown names, answers after even times', 'a login that answers unknown names at once'),
  N3: entry('what opens once is used up in one statement', 'deletions that only read, nothing counts as used'),
  N4: entry(
    'tokens, state, nonce and provider of a sign-in are checked',
    'a provider without discovery, keys and proof',
  ),
  N4p: entry('clients prove themselves', 'a token endpoint that puts in the secret of the client'),
  N6: entry('addresses are judged and pinned before a request goes out', 'addresses of this machine count as public'),
  N7: entry('limits of bodies and requests', 'a parser of JSON without limits'),
  N7f: entry('files are judged by what they hold before they are read', 'the library alone reads them'),
  N10: entry('texts are values everywhere', 'a plugin that pastes texts into SQL'),
  P5: entry('scripts run in an engine of their own, in a child', 'the module vm of Node in the host'),
  P5b: entry(
    'scripts run in a child that is killed, and their calls are bounded',
    'the same loop on the thread of the host',
  ),
  P9: entry('keys of objects are checked when a body is parsed', 'a parser that takes every key'),
  R1: entry('writes are acknowledged after COMMIT', 'a server that acknowledges before'),
  R1s: entry('a call of a peer is applied in one transaction', 'its parts applied one by one'),
  R1t: entry('a start repairs nothing by hand', 'a start that waits'),
  R2: entry('synchronous FULL on every connection', 'a host without it'),
  R4: entry('writes are acknowledged after COMMIT', 'a plugin that acknowledges before'),
  R4d: entry('a ballast that gives way to deletions and starts', 'a host that keeps none'),
  R5: entry('folders without the right to write are read from a copy', 'a host that opens them for writing'),
  R6: entry('what was noted of how the database was left', 'a start to which nobody noted anything'),
  R7: entry('a manifest of hashes for every backup', 'integrity_check alone'),
  R8: entry('backups through the interface of SQLite', 'a copy of the files'),
  R8b: entry('backups go page by page', 'a copy in one step'),
  R9a: entry('a verified backup and one transaction per migration', 'migrations statement by statement'),
  R11: entry('changes of tables in slices', 'a change in one statement'),
  R13: entry('starts that end with a sentence', 'a start that hangs'),
  R14: entry('a lock of the system on the folder', 'a holder that asks for no lock'),
  R19: entry('bounded buffers, and an end for clients that do not read', 'buffers without a bound'),
  R21: entry('heavy queries in a child that is killed', 'a thread that is told to stop'),
  R23: entry(
    'concurrent edits are listed, and what is missing is asked for',
    'of two concurrent edits one goes silently',
  ),
  R24: entry('every part of a request is checked before its handler', 'a plugin that trusts its body'),
  R24b: entry('JSON as its standard says', 'a lenient parser'),
  R26: entry('a stop finishes what was begun', 'a server that acknowledges before COMMIT'),
  R28s: entry('another incarnation after a restore', 'the same one after a restore'),
  S2: entry('the end of an entry in the roster', 'entries of the roster that have no end'),
  S3: entry('who may write is judged by every machine', 'everybody may write every document'),
  S4: entry('only who may read everything is paired', 'everybody is paired'),
  S5: entry('updates are tried on a copy, in a savepoint', 'updates that wait are merged at once'),
  S6: entry('what is no frame costs its sender', 'what is no frame ends the program'),
  S7: entry('a clock follows others for five minutes at most', 'a clock that follows every stamp'),
  S8: entry("only administrators' machines write metadata and the roster", 'every machine may'),
  W1: entry('the host listens on loopback', 'a listener on every address'),
  W2: entry('Host is exactly one of ours', noHost),
  W2p: entry('Host is exactly one of ours, beyond loopback', noHost),
  W3: entry('routes need a credential unless they are public', 'the guard of credentials is off'),
  W3c: entry('credentials that do not hold are refused', 'accounts that take every credential'),
  W4: entry('Origin is exactly one of ours', noOrigin),
  W4p: entry('Origin is exactly one of ours, beyond loopback', `${noOrigin}, and ${noCookieRule}`),
  W5: entry('a cookie alone authorises no write', noCookieRule),
  W5p: entry('a cookie alone authorises no write, beyond loopback', noCookieRule),
  W6: entry('GET and HEAD change nothing', 'a plugin with a GET that writes'),
  W7: entry('CORS by a fixed list', 'every origin is told that it may'),
  W7p: entry('CORS by a fixed list, beyond loopback', 'every origin is told that it may'),
  W8: entry(
    'host, origin and tickets are judged before a socket hears anything',
    'no guard of Host and Origin, tickets that hold more than once',
  ),
  W8u: entry('sockets that prove nothing are few and end', 'sockets without a credential may stay'),
  W9: entry('protective headers on every answer', 'answers without them'),
  W10: entry('Origin and the rule for cookies, in a browser', `${noOrigin}, and ${noCookieRule}`),
  W10r: entry('Host, in a browser', noHost),
}
