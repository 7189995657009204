// Owns typing what a call of a receiver does: a record is stored, a flow started, a function run.
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PairRows } from '../../components/pair-rows.tsx'
import { t } from '../../lib/strings.ts'
import { fieldList, objectLabel, useObjects } from '../objects/index.ts'
import type { ReceiverFormPart } from './receiver-dialog.tsx'
import { targetsQuery } from './webhook-queries.ts'

const actions = ['upsert_record', 'trigger_flow', 'script'] as const

/** The fields. */
export function ActionFields({ draft, problemOf, onChange }: ReceiverFormPart) {
  const { action, target } = draft
  return (
    <>
      <NativeSelect
        label={t('receivers.action')}
        value={action}
        error={problemOf('action')}
        data={actions.map((value) => ({ value, label: t(`receivers.action.${value}`) }))}
        onChange={(event) => {
          const next = actions.find((each) => each === event.currentTarget.value) ?? 'upsert_record'
          onChange({ ...draft, action: next, target: '', mapping: [], externalIdField: '' })
        }}
      />
      {action === 'upsert_record' ? (
        <RecordFields draft={draft} problemOf={problemOf} onChange={onChange} />
      ) : (
        <TargetChoice
          type={action === 'trigger_flow' ? 'flow' : 'function'}
          value={target}
          problem={problemOf('target')}
          onChange={(next) => onChange({ ...draft, target: next })}
        />
      )}
    </>
  )
}

function TargetChoice(props: {
  type: 'flow' | 'function'
  value: string
  problem: string | undefined
  onChange: (name: string) => void
}) {
  const { data: targets = [], isSuccess } = useQuery(targetsQuery(props.type))
  return (
    <NativeSelect
      label={t(`receivers.target.${props.type}`)}
      description={isSuccess && targets.length === 0 ? t(`receivers.target.${props.type}.none`) : undefined}
      value={props.value}
      error={props.problem}
      data={[{ value: '', label: t('pairs.choose') }, ...targets]}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  )
}

function RecordFields({ draft, problemOf, onChange }: ReceiverFormPart) {
  const { data: objects = [] } = useObjects()
  const object = objects.find(({ name }) => name === draft.target)
  const fields = (object ? fieldList(object) : []).map(({ name, label }) => ({ value: name, label: label ?? name }))
  return (
    <>
      <NativeSelect
        label={t('receivers.target.object')}
        value={draft.target}
        error={problemOf('target')}
        data={[
          { value: '', label: t('pairs.choose') },
          ...objects.map((each) => ({ value: each.name, label: objectLabel(each) })),
        ]}
        onChange={(event) =>
          onChange({ ...draft, target: event.currentTarget.value, mapping: [], externalIdField: '' })
        }
      />
      {object && (
        <>
          <PairRows
            legend={t('receivers.mapping')}
            help={t('receivers.mapping.help')}
            nameLabel={t('word.field')}
            valueLabel={t('receivers.mapping.source')}
            add={t('word.addField')}
            pairs={draft.mapping}
            names={fields}
            problemOf={(name) => problemOf(`mapping.${name}`)}
            onChange={(mapping) => onChange({ ...draft, mapping })}
          />
          <NativeSelect
            label={t('receivers.externalId')}
            description={t('receivers.externalId.help')}
            value={draft.externalIdField}
            error={problemOf('externalIdField')}
            data={[{ value: '', label: t('receivers.externalId.none') }, ...fields]}
            onChange={(event) => onChange({ ...draft, externalIdField: event.currentTarget.value })}
          />
        </>
      )}
    </>
  )
}
