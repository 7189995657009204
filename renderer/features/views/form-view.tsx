// Owns the tab of a form: the form as people fill it in, and its settings beside it.
import { Button } from '@mantine/core'
import { IconExternalLink, IconSettings } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { connection, shellBridge } from '../../lib/bridge.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { useViewWrites } from '../records/index.ts'
import type { ViewKindProps } from '../records/index.ts'
import { readForm, writeForm } from './form-config.ts'
import type { FormConfig } from './form-config.ts'
import { FormSettings } from './form-settings.tsx'
import { FormSheet } from './form-sheet.tsx'
import classes from './form.module.css'

/** The form of a view. */
export function FormView({ object, fields, context, views }: ViewKindProps) {
  const { current } = views
  const writes = useViewWrites(object.name)
  const [editing, setEditing] = useState(false)
  /** What was changed and is on its way to the host. */
  const [pending, setPending] = useState<FormConfig>()
  const address = useConsoleAddress()
  if (!current) return null
  const form = pending ?? readForm(current.config, fields)
  const path = `#/o/${object.name}/form/${current.id}`

  const change = async (next: FormConfig): Promise<void> => {
    setPending(next)
    try {
      await writes.change(current.id, { config: writeForm(next) })
    } catch (error) {
      showProblem(error)
    } finally {
      setPending((latest) => (latest === next ? undefined : latest))
    }
  }
  return (
    <div className={classes.form}>
      <div className={classes.main}>
        <div className={classes.tools}>
          <Button
            component="a"
            href={path}
            size="xs"
            variant="subtle"
            color="gray"
            leftSection={<IconExternalLink size={14} aria-hidden />}
          >
            {t('form.page')}
          </Button>
          <Button
            size="xs"
            variant={editing ? 'light' : 'subtle'}
            color="gray"
            aria-expanded={editing}
            leftSection={<IconSettings size={14} aria-hidden />}
            onClick={() => setEditing(!editing)}
          >
            {t('form.settings.open')}
          </Button>
        </div>
        <FormSheet object={object} name={current.label} form={form} fields={fields} context={context} level={2} />
      </div>
      {editing && (
        <FormSettings
          form={form}
          fields={fields}
          link={`${address}${path}`}
          onChange={(next) => void change(next)}
          onClose={() => setEditing(false)}
        />
      )}
    </div>
  )
}

/** Where the screens are found with a browser; the window has an address of its own that nobody else can open. */
function useConsoleAddress(): string {
  const [address, setAddress] = useState(() => window.location.href.split('#')[0] ?? '')
  useEffect(() => {
    if (shellBridge()) void connection().then(({ baseUrl }) => setAddress(`${baseUrl}/_console/`))
  }, [])
  return address
}
