// Owns how a table was read and reading it another way: the sheet of a spreadsheet, and whether the first row names columns.
import { NativeSelect, Switch } from '@mantine/core'
import { Notice } from '../../components/notice.tsx'
import { t, tn } from '../../lib/strings.ts'
import classes from './import-screen.module.css'
import type { ReadAgain } from './table-client.ts'
import type { TableSummary } from './table-types.ts'

/** What can be chosen for the source, and what is odd about it. */
export function SourceOptions(props: {
  summary: TableSummary
  problem: string | undefined
  onReadAgain: (options: ReadAgain) => void
}) {
  const { summary } = props
  return (
    <>
      {props.problem && (
        <Notice tone="bad" live>
          {props.problem}
        </Notice>
      )}
      {summary.unclosed && <Notice tone="warn">{t('import.preview.unclosed')}</Notice>}
      {summary.uneven > 0 && <Notice tone="warn">{tn('import.preview.problems', summary.uneven)}</Notice>}
      <div className={classes.source}>
        {summary.sheets.length > 1 && (
          <NativeSelect
            size="xs"
            label={t('import.preview.sheet')}
            value={summary.sheet}
            data={[...summary.sheets]}
            onChange={(event) => props.onReadAgain({ sheet: event.currentTarget.value })}
          />
        )}
        {summary.format !== 'json' && (
          <Switch
            size="sm"
            label={t('import.preview.header')}
            checked={summary.hasHeader}
            onChange={(event) => props.onReadAgain({ hasHeader: event.currentTarget.checked, sheet: summary.sheet })}
          />
        )}
      </div>
    </>
  )
}
