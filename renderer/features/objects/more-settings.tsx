// Owns the settings of a field that few people need: folded, with a heading that names what is in them.
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { Setting } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import classes from './field-dialog.module.css'
import { canBeUnique, readSetting } from './field-settings.ts'
import type { FieldItem } from './object-item.ts'
import { settingLabel } from './setting-words.ts'

// The dialog is opened above records, too, where the designer itself is not loaded.

/** The fold; it begins open when something in it is set, and opens for what is wrong in it. */
export function MoreSettings(props: {
  item: FieldItem
  settings: readonly Setting[]
  isWrong: boolean
  children: ReactNode
}) {
  const { item, settings } = props
  const [open, setOpen] = useState(
    () =>
      item.unique === true ||
      item.hidden === true ||
      Boolean(item.help) ||
      settings.some(({ path }) => readSetting(item, path) !== undefined),
  )
  const parts = [
    ...settings.map((setting) => settingLabel(item.type, setting)),
    ...(canBeUnique(item.type) ? [t('field.dialog.unique')] : []),
    t('field.dialog.hidden'),
    t('field.dialog.help'),
  ]
  return (
    <details
      className={classes.more}
      open={open || props.isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{t('field.dialog.more', { parts: parts.join(', ') })}</summary>
      <div className={classes.form}>{props.children}</div>
    </details>
  )
}
