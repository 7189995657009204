// What a commit does not wait for: whole files, and single tests by the beginning of their titles. They run with
// `npm run test:long`, before a release. What stays at a commit shows every capability at work, and every promise that
// nothing else at a commit would miss. Knows titles, no code of a test.
import type { TestContext } from 'vitest'
import { isLong, onlyInLongRun } from './test-size.ts'

/** Files that only a long run takes, as paths from the root. Kills and full tables: seconds of waiting each. */
export const longFiles: readonly string[] = [
  'test/api/ai-vega.test.ts',
  'test/api/approvals.kill.test.ts',
  'test/api/data-triggers.kill.test.ts',
  'test/api/graphql-time.test.ts',
  'test/api/import-bounds.test.ts',
  'test/api/import-export-roundtrip.property.test.ts',
  'test/api/import-kill.test.ts',
  'test/api/live-text-faults.test.ts',
  'test/api/metadata-bundle-large.test.ts',
  'test/api/metadata-layers.property.test.ts',
  'test/api/notifications.kill.test.ts',
  'test/api/packages.kill.test.ts',
  'test/api/rename.kill.test.ts',
  'test/api/restore.kill.test.ts',
  'test/api/schema-change-kill.test.ts',
  'test/api/schema-change-large.test.ts',
  'test/api/storage.kill.test.ts',
  'test/api/webhooks.kill.test.ts',
  'test/e2e/activity.test.ts',
  'test/e2e/field-editors.test.ts',
  'test/e2e/groups.test.ts',
  'test/e2e/live-text.test.ts',
  'test/e2e/organizations.test.ts',
  'test/e2e/scroll.probe.test.ts',
  'test/sync/converted-fields.property.test.ts',
  'test/sync/live-letters.property.test.ts',
  'test/sync/live-texts-faults.test.ts',
  'test/sync/model-schedules.test.ts',
  'test/sync/processes.test.ts',
  'test/sync/refusing-processes.test.ts',
  'test/sync/session-schedules.property.test.ts',
]

/** Tests that only a long run takes, by file; for safety the ids of checks. */
export const longTests: Readonly<Record<string, readonly string[]>> = {
  'test/api/automation.kill.test.ts': ['does not send again what was being sent'],
  'test/api/import-formats.test.ts': ['takes the airports', 'takes the films'],
  'test/api/import-jobs.test.ts': ['pauses between slices', 'goes on after a restart of the host'],
  'test/api/realtime-resume.test.ts': [
    'reaches 10,000 events back and a day',
    'close a socket that answers no ping',
    'get updates of one record as one',
  ],
  'test/api/sync-rights.test.ts': ['ends an invite after five minutes'],
  'test/e2e/access.test.ts': [
    'sets a second factor up',
    'shows a key once',
    'acts as somebody with a line',
    'sets a password with a link, once',
    'lets a device act as whoever allows it',
    'reaches every control of',
    'shows its button only',
  ],
  'test/e2e/api-page.test.ts': ['documents what the object offers', 'suggests in GraphQL'],
  'test/e2e/automation.test.ts': ['starts a flow by hand'],
  'test/e2e/designer.test.ts': ['is worked by keyboard alone', 'keeps what is unsaved when it is left'],
  'test/e2e/files.test.ts': ['pause on their way in chunks'],
  'test/e2e/first-run.keyboard.test.ts': ['reaches every command', 'walks through the regions'],
  'test/e2e/grid-header.test.ts': [
    'finds by nested groups',
    'adds a field beside',
    'changes one field of all',
    'goes on with a series',
  ],
  'test/e2e/import.test.ts': [
    'updates the records that match',
    'links rows by what the records are called',
    'makes a table of ',
    'saves exactly the records that are shown',
    'adds no row twice',
    'pauses, survives a reload',
    'stops half-way',
    'deletes the new table again',
  ],
  'test/e2e/packages.test.ts': ['are uploaded, upgraded', 'are uninstalled'],
  'test/e2e/search.test.ts': ['fits small windows', 'has home show'],
  'test/e2e/sync.test.ts': [
    'ask nothing of the host for a link',
    'lead through an invite by keyboard',
    'give an invite up',
    'remove a device only after',
    'ask before the window is left',
  ],
  'test/e2e/views.test.ts': [
    'are summed up in groups with a chart',
    'take a paste of more rows than are loaded',
    'say when nothing can be added',
  ],
  'test/e2e/webhooks.test.ts': ['receivers of every kind', 'are changed, switched off', 'are offered to nobody'],
  'test/e2e/workflow.test.ts': ['shows on the record what a flow waits for'],
  'test/safety/anonymous.test.ts': ['W3c '],
  'test/safety/audit.test.ts': ['D7k '],
  'test/safety/backup.test.ts': ['R8 ', 'R8b ', 'R9a '],
  'test/safety/durability.test.ts': ['R26 '],
  'test/safety/identity.test.ts': ['C10 ', 'D5 ', 'N1 '],
  'test/safety/malformed.test.ts': ['N10 '],
  'test/safety/oracle.test.ts': ['C2f ', 'C2 '],
  'test/safety/process.test.ts': ['R21 ', 'R13 '],
  'test/safety/public-listener.test.ts': ['W2p ', 'W4p ', 'W5p ', 'W7p '],
  'test/safety/purge.test.ts': ['D4 '],
  'test/safety/read-only.test.ts': ['R5 '],
  'test/safety/requests.test.ts': ['W5 ', 'W6 '],
  'test/safety/scripts.test.ts': ['P5b '],
  'test/safety/single-use.test.ts': ['N3 '],
  'test/safety/sockets.test.ts': ['W8u '],
  'test/safety/states.test.ts': ['C6 '],
  'test/safety/sync-faults.test.ts': ['R1s ', 'R28s '],
  'test/safety/sync.test.ts': ['S4 ', 'S5 ', 'S2 ', 'S3 ', 'S6 ', 'S7 ', 'S8 '],
  'test/safety/token.test.ts': ['L3 ', 'L4 '],
  'test/sync/mailbox-pairing.test.ts': [
    'are told where they meet',
    'dial each other later',
    'fails for both when the relay is gone',
    'is not begun where the relay is the only way',
    'goes on when the relay was gone',
    'goes on with whoever comes before',
    'is over after a short wait',
  ],
  'test/sync/model.property.test.ts': ['any schedule', 'many restored databases'],
  'test/sync/refused-writes.test.ts': ['do not end the connection', 'very many writes without a right'],
  'test/sync/relay-mailbox.test.ts': ['hold whoever writes to somebody who never reads'],
  'test/sync/relay-process.test.ts': [
    'refuses a folder that another relay has',
    'runs through the launcher',
    'loses nothing when the network is cut',
  ],
  'test/sync/session-relay.test.ts': ['lose nothing when it is killed'],
}

/** Leaves a test to the long run when it stands in the list above; a twin that has to be seen again never does. */
export function leaveToLongRun(test: TestContext, file: string): void {
  const { name } = test.task
  if (isLong || name.endsWith('turns red without its guard')) return
  if (longTests[file]?.some((title) => name.startsWith(title))) onlyInLongRun(test)
}
