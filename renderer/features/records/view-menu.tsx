// Owns the menu of what can be done with the view on screen, and the one that makes a new view.
import { ActionIcon, Menu } from '@mantine/core'
import {
  IconCalendar,
  IconChartBar,
  IconDots,
  IconForms,
  IconLayoutCards,
  IconLayoutKanban,
  IconPlus,
  IconTable,
} from '@tabler/icons-react'
import type { TablerIcon } from '@tabler/icons-react'
import { useRef } from 'react'
import { useMenu } from '../../components/menu-options.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import type { StoredView } from './record-views.ts'
import { firstOptions, viewTypes } from './view-types.ts'
import type { ViewType } from './view-types.ts'
import { requestForms } from './view-request.ts'
import type { RequestForm } from './view-request.ts'

/** The sign of each kind of view. */
export const viewTypeIcons: Readonly<Record<ViewType, TablerIcon>> = {
  grid: IconTable,
  kanban: IconLayoutKanban,
  calendar: IconCalendar,
  gallery: IconLayoutCards,
  form: IconForms,
  chart: IconChartBar,
}

/** What can be done with the view on screen; without one, what is on screen can become one. */
export function ViewMenu(props: {
  name: string
  current: StoredView | undefined
  changed: boolean
  onUpdate: () => void
  onReset: () => void
  onSaveNew: () => void
  onRename: () => void
  onDuplicate: () => void
  /** Copies what is shown as a request. */
  onCopy: (form: RequestForm) => void
  onDefault: () => void
  onDelete: () => void
}) {
  const { current } = props
  const button = useRef<HTMLButtonElement>(null)
  const { options, after: run } = useMenu(button)
  const isForm = current?.type === 'form'
  return (
    <Menu position="bottom-start" {...options}>
      <Menu.Target>
        <ActionIcon
          ref={button}
          size={28}
          variant="subtle"
          color="gray"
          aria-label={t('views.menu', { view: props.name })}
        >
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {current && props.changed && <Menu.Item onClick={run(props.onUpdate)}>{t('views.update')}</Menu.Item>}
        {current && props.changed && <Menu.Item onClick={run(props.onReset)}>{t('views.reset')}</Menu.Item>}
        {!isForm && <Menu.Item onClick={run(props.onSaveNew)}>{t('views.save')}</Menu.Item>}
        {!isForm && (
          <div role="group" aria-label={t('views.copyAs')}>
            <Menu.Label>{t('views.copyAs')}</Menu.Label>
            {requestForms.map((form) => (
              <Menu.Item key={form} onClick={run(() => props.onCopy(form))}>
                {t(`views.copyAs.${form}`)}
              </Menu.Item>
            ))}
          </div>
        )}
        {current && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={run(props.onRename)}>{t('views.rename')}</Menu.Item>
            <Menu.Item onClick={run(props.onDuplicate)}>{t('views.duplicate')}</Menu.Item>
            {!isForm && (
              <Menu.Item onClick={run(props.onDefault)}>
                {t(current.isDefault ? 'views.noDefault' : 'views.makeDefault')}
              </Menu.Item>
            )}
            <Menu.Divider />
            <Menu.Item onClick={run(props.onDelete)}>{t('views.delete')}</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Makes a view of a kind; a kind whose field the object lacks says so. */
export function NewViewMenu(props: { fields: readonly FieldDefinition[]; onNew: (type: ViewType) => void }) {
  const button = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(button)
  return (
    <Menu position="bottom-start" {...options}>
      <Menu.Target>
        <ActionIcon
          ref={button}
          size={28}
          variant="subtle"
          color="gray"
          aria-label={t('views.new')}
          title={t('views.new')}
        >
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {viewTypes.map((type) => {
          const Icon = viewTypeIcons[type]
          const isMissing = firstOptions(type, props.fields) === undefined
          return (
            <Menu.Item
              key={type}
              disabled={isMissing}
              leftSection={<Icon size={16} aria-hidden />}
              title={isMissing ? t(`views.needs.${type}` as StringKey) : undefined}
              onClick={after(() => props.onNew(type))}
            >
              {t(`views.type.${type}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
