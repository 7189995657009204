// Owns what stands in place of rows when there are none: the next action, or the way back from a filter.
import { Button } from '@mantine/core'
import { IconFilterOff, IconTable } from '@tabler/icons-react'
import { EmptyState } from '../../components/notice.tsx'
import { t } from '../../lib/strings.ts'
import type { ObjectItem } from '../objects/index.ts'

/** Empty because nothing was added yet, or because nothing matches. */
export function NoRecords(props: { object: ObjectItem; filtered: boolean; onClear: () => void; onNew: () => void }) {
  if (props.filtered) {
    return (
      <EmptyState
        title={t('records.emptyFiltered')}
        icon={<IconFilterOff size={32} stroke={1.5} aria-hidden />}
        actions={<Button onClick={props.onClear}>{t('records.clearFilter')}</Button>}
      >
        {t('records.emptyFiltered.text')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={t('records.empty')}
      icon={<IconTable size={32} stroke={1.5} aria-hidden />}
      actions={
        <>
          <Button onClick={props.onNew}>{t('records.new')}</Button>
          <Button component="a" href={`#/o/${props.object.name}/import`} variant="default">
            {t('records.import')}
          </Button>
        </>
      }
    >
      {t('records.empty.text')}
    </EmptyState>
  )
}
