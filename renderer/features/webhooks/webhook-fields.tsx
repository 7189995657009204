// Owns the part of a webhook's form that everybody fills in: its name, when it is sent, where to, and the proof.
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import { CredentialFields } from './credential-fields.tsx'
import { NameFields } from './name-fields.tsx'
import type { WebhookFormPart } from './webhook-dialog.tsx'

const triggers = ['create', 'update', 'delete', 'undelete', 'api'] as const
const methods = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const

/** The fields of this part, as the host names them. */
export const shownFields = ['label', 'name', 'object', 'triggers', 'url', 'method', 'authentication'] as const

/** The part. */
export function WebhookFields({ draft, isNew, problemOf, onChange }: WebhookFormPart) {
  const { data: objects = [] } = useObjects()
  return (
    <>
      <NameFields draft={draft} isNew={isNew} fallback="webhook" problemOf={problemOf} onChange={onChange} />
      <NativeSelect
        label={t('word.recordsOf')}
        description={t('webhooks.object.help')}
        value={draft.object}
        error={problemOf('object')}
        data={[
          { value: '', label: t('webhooks.object.none') },
          ...objects.map((object) => ({ value: object.name, label: objectPluralLabel(object) })),
        ]}
        onChange={(event) => onChange({ object: event.currentTarget.value, payloadFields: [] })}
      />
      <fieldset className={parts.options}>
        <legend>{t('webhooks.triggers')}</legend>
        <div className={parts.choices}>
          {triggers.map((trigger) => (
            <Checkbox
              key={trigger}
              label={t(`webhooks.trigger.${trigger}`)}
              disabled={draft.object === '' && trigger !== 'api'}
              checked={draft.triggers.includes(trigger)}
              onChange={(event) =>
                onChange({
                  triggers: event.currentTarget.checked
                    ? [...draft.triggers, trigger]
                    : draft.triggers.filter((each) => each !== trigger),
                })
              }
            />
          ))}
        </div>
        {problemOf('triggers') && <p className={parts.problem}>{problemOf('triggers')}</p>}
      </fieldset>
      <TextInput
        label={t('word.address')}
        description={t('webhooks.url.help')}
        value={draft.url}
        error={problemOf('url')}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('webhooks.method')}
        value={draft.method}
        error={problemOf('method')}
        data={methods.map((value) => ({ value, label: value }))}
        onChange={(event) => onChange({ method: methods.find((each) => each === event.currentTarget.value) ?? 'POST' })}
      />
      <CredentialFields draft={draft} problemOf={problemOf} onChange={onChange} />
    </>
  )
}
