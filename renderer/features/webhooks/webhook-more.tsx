// Owns the part of a webhook's form that few fill in: headers, body, retries, its secret. Open when something in it is wrong.
import { Checkbox, NativeSelect, TextInput, Textarea } from '@mantine/core'
import { useState } from 'react'
import { PairRows } from '../../components/pair-rows.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { fieldList, useObject } from '../objects/index.ts'
import { retryFigures } from './webhook-draft.ts'
import type { WebhookFormPart } from './webhook-dialog.tsx'
import classes from './webhooks.module.css'

/** The fields of this part, as the host names them. */
export const moreFields = [
  'description',
  'headers',
  'body',
  'payloadFields',
  'includeSession',
  'retryPolicy',
  'timeoutMs',
  'secret',
  'isActive',
  'tags',
] as const

const strategies = ['exponential', 'linear', 'fixed'] as const

/** The part. */
export function WebhookMore(props: WebhookFormPart) {
  const { draft, problemOf, onChange } = props
  const [wished, setWished] = useState(false)
  const isOpen = wished || moreFields.some((field) => problemOf(field) !== undefined)
  return (
    <details className={classes.more} open={isOpen} onToggle={(event) => setWished(event.currentTarget.open)}>
      <summary>{t('webhooks.more')}</summary>
      <div className={parts.stack}>
        <TextInput
          label={t('word.description')}
          value={draft.description}
          error={problemOf('description')}
          autoComplete="off"
          onChange={(event) => onChange({ description: event.currentTarget.value })}
        />
        <PairRows
          legend={t('webhooks.headers')}
          help={t('webhooks.headers.help')}
          nameLabel={t('webhooks.header.name')}
          valueLabel={t('word.value')}
          add={t('webhooks.headers.add')}
          pairs={draft.headers}
          problemOf={(name) => problemOf(`headers.${name}`)}
          onChange={(headers) => onChange({ headers })}
        />
        {draft.object !== '' && <PayloadFields {...props} />}
        <Textarea
          label={t('webhooks.body')}
          description={t('webhooks.body.help')}
          value={draft.body}
          error={problemOf('body')}
          autosize
          minRows={2}
          maxRows={12}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onChange={(event) => onChange({ body: event.currentTarget.value })}
        />
        <Checkbox
          label={t('webhooks.session')}
          description={t('webhooks.session.help')}
          checked={draft.includeSession}
          onChange={(event) => onChange({ includeSession: event.currentTarget.checked })}
        />
        <Retries {...props} />
        <TextInput
          label={t('webhooks.timeout')}
          value={draft.timeoutMs}
          error={problemOf('timeoutMs')}
          inputMode="numeric"
          onChange={(event) => onChange({ timeoutMs: event.currentTarget.value })}
        />
        <TextInput
          label={t('webhooks.secret')}
          description={t(props.isNew ? 'webhooks.secret.help' : 'webhooks.credential.kept')}
          value={draft.secret}
          error={problemOf('secret')}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ secret: event.currentTarget.value })}
        />
        <TextInput
          label={t('webhooks.tags')}
          description={t('word.commas')}
          value={draft.tags}
          error={problemOf('tags')}
          autoComplete="off"
          onChange={(event) => onChange({ tags: event.currentTarget.value })}
        />
        <Checkbox
          label={t('webhooks.active')}
          checked={draft.isActive}
          onChange={(event) => onChange({ isActive: event.currentTarget.checked })}
        />
      </div>
    </details>
  )
}

function PayloadFields({ draft, problemOf, onChange }: WebhookFormPart) {
  const { data: object } = useObject(draft.object)
  if (!object) return null
  const { payloadFields } = draft
  return (
    <fieldset className={parts.options}>
      <legend>{t('webhooks.payload')}</legend>
      <p className={classes.help}>{t('webhooks.payload.help')}</p>
      <div className={classes.columns}>
        {fieldList(object).map(({ name, label }) => (
          <Checkbox
            key={name}
            label={label ?? name}
            checked={payloadFields.includes(name)}
            onChange={(event) =>
              onChange({
                payloadFields: event.currentTarget.checked
                  ? [...payloadFields, name]
                  : payloadFields.filter((each) => each !== name),
              })
            }
          />
        ))}
      </div>
      {problemOf('payloadFields') && <p className={parts.problem}>{problemOf('payloadFields')}</p>}
    </fieldset>
  )
}

function Retries({ draft, problemOf, onChange }: WebhookFormPart) {
  return (
    <fieldset className={parts.options}>
      <legend>{t('webhooks.retries')}</legend>
      <Checkbox
        label={t('webhooks.retries.own')}
        description={t('webhooks.retries.help')}
        checked={draft.ownRetries}
        onChange={(event) => onChange({ ownRetries: event.currentTarget.checked })}
      />
      {draft.ownRetries && (
        <div className={classes.figures}>
          <NativeSelect
            label={t('webhooks.retries.strategy')}
            value={draft.strategy}
            data={strategies.map((value) => ({ value, label: t(`webhooks.retries.${value}`) }))}
            onChange={(event) =>
              onChange({ strategy: strategies.find((each) => each === event.currentTarget.value) ?? 'exponential' })
            }
          />
          {retryFigures.map((name) => (
            <TextInput
              key={name}
              label={t(`webhooks.retries.${name}`)}
              value={draft.retries[name]}
              error={problemOf(`retryPolicy.${name}`)}
              inputMode="numeric"
              onChange={(event) => onChange({ retries: { ...draft.retries, [name]: event.currentTarget.value } })}
            />
          ))}
        </div>
      )}
    </fieldset>
  )
}
