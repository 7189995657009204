// The order of files within a group: what takes longest begins first, so that no worker waits for it at the end.
import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/** Files that take five minutes and more at full size, the longest first; then those of half a minute at a commit. */
const slow = [
  'main/hub/hub-processes.test.ts',
  'test/sync/processes.test.ts',
  'test/e2e/screens.test.ts',
  'test/safety/sync-faults.test.ts',
  'test/api/storage.kill.test.ts',
  'test/api/restore.kill.test.ts',
  'test/sync/model.property.test.ts',
  'test/safety/durability.test.ts',
  'test/api/automation.kill.test.ts',
  'test/sync/files-kill.test.ts',
  'test/api/approvals.kill.test.ts',
  'test/api/packages.kill.test.ts',
  'test/sync/hostile-peer.test.ts',
  'test/safety/sameness.test.ts',
  'test/safety/leak.test.ts',
  'test/api/hub.test.ts',
  'test/safety/malformed.test.ts',
  'test/e2e/workflow.test.ts',
  'test/e2e/main-job.test.ts',
  'test/e2e/grid-header.test.ts',
  'test/e2e/undo.test.ts',
  'test/e2e/sync.test.ts',
  'test/api/sync-pairing.test.ts',
  'test/safety/requests.test.ts',
  'test/safety/audit.test.ts',
  'test/api/declared-answers.test.ts',
]

/** Sorts files as ever, but for those. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = slow.findIndex((file) => moduleId.endsWith(`/${file}`))
      return at === -1 ? slow.length : at
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
