// Owns the first step of a new table: the place it comes in. What follows is loaded while the table is being read.
import { Suspense } from 'react'
import type { ReactNode } from 'react'
import { Notice } from '../../components/notice.tsx'
import { lazyPart } from '../../lib/lazy-part.ts'
import { SourceArea } from './source-area.tsx'
import { useOpenedFile } from './use-opened-file.ts'
import { useTable } from './use-table.ts'

const NewTableSteps = lazyPart(async () => ({ default: (await import('./new-table-steps.tsx')).NewTableSteps }))

/** From a source to an object with records. `before` is shown around the source while nothing is chosen. */
export function NewTableFlow(props: { before: (area: ReactNode) => ReactNode; autoFocus?: boolean }) {
  const reading = useTable()
  const isFree = reading.table === undefined && reading.reading === undefined
  useOpenedFile(isFree, (source) => void reading.open(source), reading.fail)
  if (reading.table && reading.summary) {
    return (
      <Suspense fallback={null}>
        <NewTableSteps
          table={reading.table}
          summary={reading.summary}
          readProblem={reading.problem}
          onReadAgain={(options) => void reading.readAgain(options)}
          onRelease={reading.release}
          onBack={reading.close}
        />
      </Suspense>
    )
  }
  return props.before(
    <>
      {reading.problem && (
        <div style={{ marginBlockEnd: 12 }}>
          <Notice tone="bad" live>
            {reading.problem}
          </Notice>
        </div>
      )}
      <SourceArea
        autoFocus={props.autoFocus}
        onSource={(source) => void reading.open(source)}
        status={reading.reading}
        busy={reading.reading !== undefined}
      />
    </>,
  )
}
