// Owns what is set of a flow as a whole: its label, how it starts, with whose rights it runs.
import { NativeSelect, TextInput } from '@mantine/core'
import { t } from '../../lib/strings.ts'
import type { FlowDraft } from './flow-draft.ts'
import parts from '../../components/parts.module.css'
import classes from './automation.module.css'

/** The ways a flow starts. */
export const flowTypes = ['record_change', 'schedule', 'screen', 'api', 'autolaunched'] as const

/** The fields. */
export function FlowSettings(props: { draft: FlowDraft; onChange: (draft: FlowDraft) => void }) {
  const { draft, onChange } = props
  return (
    <div className={`${parts.labels} ${classes.settings}`}>
      <TextInput
        label={t('word.label')}
        value={draft.label}
        autoComplete="off"
        onChange={(event) => onChange({ ...draft, label: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('flows.type')}
        value={draft.type}
        data={flowTypes.map((value) => ({ value, label: t(`flows.type.${value}`) }))}
        onChange={(event) => onChange({ ...draft, type: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('runs.runAs')}
        value={draft.runAs}
        data={(['user', 'system'] as const).map((value) => ({ value, label: t(`runs.runAs.${value}`) }))}
        onChange={(event) => onChange({ ...draft, runAs: event.currentTarget.value })}
      />
    </div>
  )
}
