// Owns how a shortcut is drawn: one box per key, words between key presses.
import { Fragment } from 'react'
import { shortcutKeys } from '../lib/shortcuts.ts'
import { t } from '../lib/strings.ts'
import classes from './shortcut-keys.module.css'

/** The keys of a shortcut. */
export function ShortcutKeys(props: { shortcut: string }) {
  return (
    <span className={classes.keys}>
      {shortcutKeys(props.shortcut).map((stroke, index) => (
        <Fragment key={index}>
          {index > 0 && <span>{t('shortcuts.then')}</span>}
          {stroke.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </Fragment>
      ))}
    </span>
  )
}
