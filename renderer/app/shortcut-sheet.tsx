// Owns the sheet of shortcuts: every command that has one, the keys of the grid, and the switch for single keys.
import { Switch } from '@mantine/core'
import { Dialog } from '../components/dialog.tsx'
import { ShortcutKeys } from '../components/shortcut-keys.tsx'
import { useCommandList } from '../lib/commands.ts'
import type { Command } from '../lib/commands.ts'
import { setSingleKeys, useSingleKeys } from '../lib/single-keys.ts'
import { t } from '../lib/strings.ts'
import classes from './shortcut-sheet.module.css'
import { setShortcutsOpen, useUi } from './ui-state.ts'

const groups = [
  { id: 'general', title: 'shortcuts.group.general' },
  { id: 'navigation', title: 'shortcuts.group.navigation' },
  { id: 'records', title: 'shortcuts.group.records' },
] as const

const gridKeys = [
  { label: 'shortcuts.grid.move', keys: ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'] },
  { label: 'shortcuts.grid.edge', keys: ['Mod+ArrowDown'] },
  { label: 'shortcuts.grid.select', keys: ['Shift+ArrowDown'] },
  { label: 'shortcuts.grid.all', keys: ['Mod+A'] },
  { label: 'shortcuts.grid.edit', keys: ['Enter', 'F2'] },
  { label: 'shortcuts.grid.open', keys: ['Space'] },
  { label: 'shortcuts.grid.cancel', keys: ['Escape'] },
  { label: 'shortcuts.grid.copy', keys: ['Mod+C'] },
  { label: 'shortcuts.grid.fill', keys: ['Mod+D'] },
  { label: 'shortcuts.grid.series', keys: ['Mod+Shift+D'] },
  { label: 'shortcuts.grid.menu', keys: ['Alt+Enter'] },
  { label: 'shortcuts.grid.moveColumn', keys: ['Alt+ArrowLeft', 'Alt+ArrowRight'] },
  { label: 'shortcuts.grid.resize', keys: ['Shift+Alt+ArrowRight'] },
] as const

/** The sheet as a dialog. */
export function ShortcutSheet() {
  const { shortcutsOpen } = useUi()
  const singleKeys = useSingleKeys()
  const commands = useCommandList().filter((command) => command.shortcut !== undefined)
  return (
    <Dialog
      opened={shortcutsOpen}
      onClose={() => setShortcutsOpen(false)}
      title={t('word.keyboardShortcuts')}
      size={620}
    >
      <div className={classes.columns}>
        {groups.map(({ id, title }) => (
          <CommandSection key={id} title={t(title)} commands={commands.filter((command) => command.group === id)} />
        ))}
        <section>
          <h3 className={classes.heading}>{t('shortcuts.group.grid')}</h3>
          <dl className={classes.list}>
            {gridKeys.map(({ label, keys }) => (
              <div key={label} className={classes.row}>
                <dt>{t(label)}</dt>
                <dd>
                  {keys.map((key) => (
                    <ShortcutKeys key={key} shortcut={key} />
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <Switch
        mt="md"
        label={t('shortcuts.single')}
        description={t('shortcuts.single.help')}
        checked={singleKeys}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
      />
    </Dialog>
  )
}

function CommandSection(props: { title: string; commands: readonly Command[] }) {
  if (props.commands.length === 0) return null
  return (
    <section>
      <h3 className={classes.heading}>{props.title}</h3>
      <dl className={classes.list}>
        {props.commands.map((command) => (
          <div key={command.id} className={classes.row}>
            <dt>{command.label}</dt>
            <dd>
              <ShortcutKeys shortcut={command.shortcut ?? ''} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
