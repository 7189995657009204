// What is left out where tests ask through the door of a hub, each with the reason: tests that reach around the door, or of
// what a hub does not have. What a person could do against a hub is not left out. Knows titles, no code of a test.

const noRestore = 'no backup is put in the place of the database of a hub (D-362)'
const saysWhoLeads = 'a node that follows says that another one leads (D-368)'
const hasKeys = 'every write that can have one has a key of its own there, which is kept and costs statements'
const ownBackups = 'a backup is in the folder of the node that made it'
const healed = 'a node that comes back has its file and its anchor made what the hub says'

/** Files, as paths from the root. */
export const filesBesideDoor: Readonly<Record<string, string>> = {
  'test/api/damaged-database.test.ts':
    'what is in the database of a hub is said by its log, not by the file of a node (D-362)',
  'test/api/restored-accounts.test.ts': noRestore,
  'test/api/restored-outbox.test.ts': noRestore,
}

/** Tests of other files, by the beginning of their titles. */
export const testsBesideDoor: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'test/api/audit.test.ts': {
    'an end that was cut off': healed,
    'is an entry of the chain that goes on from it': noRestore,
    'of a backup older than what is kept': noRestore,
  },
  'test/api/backups.test.ts': {
    'answers 202, ends the host for a restart': noRestore,
    'saves every write that was accepted before it': noRestore,
  },
  'test/api/discovery.test.ts': { 'GET /readyz and /api/v1/ready answer ready': saysWhoLeads },
  'test/api/disk-full.test.ts': { 'is the reason why a host is not ready': saysWhoLeads },
  'test/api/import-jobs.test.ts': {
    'fails with a reason when its rows are gone': 'a hub keeps the rows of its import jobs (D-372)',
  },
  'test/api/packages-archives.test.ts': {
    'whose file is gone has no such version': 'a hub keeps the archives of its packages (D-398)',
  },
  'test/api/packages-states.test.ts': { 'says why, refuses to be switched, and works': healed },
  'test/api/storage-backups.test.ts': { 'a restored backup opens every file': noRestore },
  'test/api/sync-peers.test.ts': {
    'lasts over a restart, under the same number': 'each leader of a hub begins a new incarnation (D-364)',
  },
  'test/api/sync-rights.test.ts': { 'of the keys is told': healed },
}

/** Tests that a handover in their midst makes another one of. */
export const testsBesideHandovers: typeof testsBesideDoor = {
  'test/api/auth-accounts.test.ts': {
    'leaves no token of a session in the database': 'a node that follows has no log of its file beside it',
  },
  'test/api/auth-admin.test.ts': { 'is made once by repeats with one Idempotency-Key': hasKeys },
  'test/api/auth-keys.test.ts': { 'is made once by repeats with one Idempotency-Key': hasKeys },
  'test/api/automation-waits.test.ts': {
    'lets what waited too long fail': 'what runs has an end before a handover, and what waited for it begins',
  },
  'test/api/backups.test.ts': {
    'refuses a restore that is not confirmed': ownBackups,
    'makes a verified backup with 201': ownBackups,
    'sends the database file of the backup': ownBackups,
    'finds nothing in a sound backup': ownBackups,
    'says that a damaged backup cannot be read': ownBackups,
  },
  'test/api/live-text.test.ts': {
    'of one person is one entry of the history': 'a piece of work ends with the leader that it began with',
    'of two people with writes by REST':
      'hundreds of words typed within the seconds of a handover come as one piece each, and both stay (D-399)',
    'loses nothing, typed before or meanwhile': 'who is cut off meanwhile comes back as after a loss (D-399)',
  },
  'test/api/live-text-rights.test.ts': {
    'is out who signed out': 'who is out hears it from the next leader, within its time',
  },
  'test/api/webhooks.test.ts': {
    'brings all of many that come while it is busy': 'what is under way at a handover is brought once more (D-191)',
  },
  'test/api/write-problems.test.ts': { 'costs no statement more': hasKeys },
}

/** Those of this run. */
export const testsBeside = [
  testsBesideDoor,
  ...(process.env['CAIRN_DOOR'] === 'handover' ? [testsBesideHandovers] : []),
]
