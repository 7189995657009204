// Owns the list of settings with its search: those of the workspace, those of this browser, and where the others are.
import { NativeSelect, Switch, TextInput, useMantineColorScheme } from '@mantine/core'
import type { MantineColorScheme } from '@mantine/core'
import { useState } from 'react'
import { EmptyState, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { chooseLanguage, chosenLanguage, isLanguage, languages } from '../../lib/language.ts'
import { setSingleKeys, useSingleKeys } from '../../lib/single-keys.ts'
import { t, tn } from '../../lib/strings.ts'
import { matchingSettings, ownSettings, settingPlaces, workspaceSettings } from './setting-list.ts'
import { SettingRow } from './setting-row.tsx'
import type { WorkspaceOptions } from './settings-queries.ts'
import classes from './settings.module.css'

const groups = ['region', 'records', 'files', 'connections'] as const
const schemes = ['auto', 'light', 'dark'] as const

/** The list; `options` is null for who may not manage the workspace, `find` what is searched for at first. */
export function SettingsPart(props: { options: WorkspaceOptions | null; find: string }) {
  const { options } = props
  const [words, setWords] = useState(props.find)
  const matching = matchingSettings(words)
  const shown = options === null ? [] : workspaceSettings.filter(({ name }) => matching.has(name))
  const places = settingPlaces.filter(({ name }) => matching.has(name))
  const hasOwn = ownSettings.some(({ name }) => matching.has(name))
  const count = shown.length + places.length + [...matching].filter((name) => isOwn(name)).length
  return (
    <>
      <TextInput
        className={classes.find}
        type="search"
        label={t('settings.find')}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      <p className="cairn-hidden" role="status">
        {words !== '' && tn('settings.found', count)}
      </p>
      {options === null && <Notice tone="info">{t('settings.denied')}</Notice>}
      {count === 0 && <EmptyState title={t('settings.none', { words })}>{t('settings.none.text')}</EmptyState>}
      {options !== null &&
        groups.map((group) => {
          const members = shown.filter((setting) => setting.group === group)
          if (members.length === 0) return null
          return (
            <section key={group} className={parts.section}>
              <h2>{t(`settings.group.${group}`)}</h2>
              {members.map((setting) => (
                <SettingRow key={setting.name} setting={setting} value={options[setting.name]} />
              ))}
            </section>
          )
        })}
      {hasOwn && (
        <section className={parts.section}>
          <h2>{t('settings.group.own')}</h2>
          {matching.has('language') && <LanguageRow />}
          {matching.has('scheme') && <SchemeRow />}
          {matching.has('singleKeys') && <SingleKeysRow />}
        </section>
      )}
      {places.length > 0 && (
        <section className={parts.section}>
          <h2>{t('settings.group.elsewhere')}</h2>
          <ul className={parts.links}>
            {places.map(({ name, path }) => (
              <li key={name}>
                <a href={`#${path}`} className={parts.link}>
                  {t(`settings.link.${name}`)}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function isOwn(name: string): boolean {
  return ownSettings.some((each) => each.name === name)
}

function LanguageRow() {
  return (
    <div className={classes.row}>
      <NativeSelect
        label={t('settings.language')}
        description={t('settings.language.help')}
        value={chosenLanguage() ?? ''}
        onChange={({ currentTarget: { value } }) => chooseLanguage(isLanguage(value) ? value : undefined)}
        data={[
          { value: '', label: t('settings.language.auto') },
          ...Object.entries(languages).map(([value, label]) => ({ value, label })),
        ]}
      />
    </div>
  )
}

function SchemeRow() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <div className={classes.row}>
      <NativeSelect
        label={t('settings.scheme')}
        description={t('settings.scheme.help')}
        value={colorScheme}
        onChange={(event) => setColorScheme(event.currentTarget.value as MantineColorScheme)}
        data={schemes.map((value) => ({ value, label: t(`settings.scheme.${value}`) }))}
      />
    </div>
  )
}

function SingleKeysRow() {
  const isOn = useSingleKeys()
  return (
    <div className={classes.row}>
      <Switch
        label={t('settings.singleKeys')}
        description={t('settings.singleKeys.help')}
        checked={isOn}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
      />
    </div>
  )
}
