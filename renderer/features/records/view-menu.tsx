// Owns the menu that chooses a stored view and keeps what is on screen as one, and the list that chooses the columns.
import { Button, Checkbox, Menu, Stack } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { menuOptions } from '../../components/menu-options.ts'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { StoredView } from './record-views.ts'
import classes from './records.module.css'

/** Chooses among stored views; the commands below change the one that is chosen. */
export function ViewMenu(props: {
  views: readonly StoredView[]
  current: StoredView | undefined
  changed: boolean
  onChoose: (view: StoredView | undefined) => void
  onSaveNew: () => void
  onUpdate: () => void
  onRename: () => void
  onDelete: () => void
}) {
  const { views, current } = props
  const name = current?.label ?? t('views.all')
  const shown = props.changed ? t('views.changed', { view: name }) : name
  const groups = [
    { title: t('views.group.shared'), views: views.filter(({ personal }) => !personal) },
    { title: t('views.group.personal'), views: views.filter(({ personal }) => personal) },
  ]
  return (
    <Menu position="bottom-start" {...menuOptions}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          classNames={{ label: classes.toolLabel }}
        >
          {t('views.menu', { view: shown })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item aria-current={current === undefined} onClick={() => props.onChoose(undefined)}>
          {t('views.all')}
        </Menu.Item>
        {groups
          .filter((group) => group.views.length > 0)
          .map((group) => (
            <div key={group.title} role="group" aria-label={group.title}>
              <Menu.Label>{group.title}</Menu.Label>
              {group.views.map((view) => (
                <Menu.Item
                  key={view.id}
                  aria-current={view.id === current?.id}
                  fw={view.id === current?.id ? 600 : undefined}
                  onClick={() => props.onChoose(view)}
                >
                  {view.label}
                </Menu.Item>
              ))}
            </div>
          ))}
        <Menu.Divider />
        {current && props.changed && <Menu.Item onClick={props.onUpdate}>{t('views.update')}</Menu.Item>}
        <Menu.Item onClick={props.onSaveNew}>{t('views.save')}</Menu.Item>
        {current && <Menu.Item onClick={props.onRename}>{t('views.rename')}</Menu.Item>}
        {current && (
          <Menu.Item color="red" onClick={props.onDelete}>
            {t('views.delete')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Ticks which fields are columns; one always stays. */
export function ColumnsList(props: {
  fields: readonly FieldDefinition[]
  /** Names of the shown fields. */
  shown: readonly string[]
  onChange: (shown: string[]) => void
}) {
  const { fields, shown } = props
  return (
    <Stack gap={10} mah={360} style={{ overflowY: 'auto' }}>
      {fields.map((field) => {
        const isShown = shown.includes(field.name)
        return (
          <Checkbox
            key={field.name}
            size="xs"
            label={fieldLabel(field)}
            checked={isShown}
            disabled={isShown && shown.length === 1}
            onChange={() =>
              props.onChange(
                fields.flatMap(({ name }) => ((name === field.name ? !isShown : shown.includes(name)) ? [name] : [])),
              )
            }
          />
        )
      })}
      <Button
        size="compact-xs"
        variant="subtle"
        disabled={shown.length === fields.length}
        onClick={() => props.onChange(fields.map(({ name }) => name))}
      >
        {t('views.columns.all')}
      </Button>
    </Stack>
  )
}
