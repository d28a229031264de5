import type { AlertEntry } from '../../api/resources.ts';

export type Channel = AlertEntry['channel'];
export type ChannelType = Channel['type'];

interface ChannelWords {
  title: string;
  about: string;
  /** Where the address of a chat comes from. */
  hint: string;
  placeholder: string;
}

/** The ways to be told, in the order in which they are offered. */
export const CHANNELS: Record<ChannelType, ChannelWords> = {
  email: {
    title: 'E-mail',
    about: 'By your own mail server (SMTP).',
    hint: 'The address of your mail server, with user and password if it wants them.',
    placeholder: 'smtps://user:password@mail.example.com:465',
  },
  slack: {
    title: 'Slack',
    about: 'Into a channel of Slack.',
    hint: 'In Slack: create an app, turn on incoming webhooks, add one to a channel, and copy its URL.',
    placeholder: 'https://hooks.slack.com/services/…',
  },
  teams: {
    title: 'Microsoft Teams',
    about: 'Into a channel of Teams.',
    hint: 'In Teams: open Workflows on the channel, choose "Post to a channel when a webhook request is received", and copy its URL.',
    placeholder: 'https://….logic.azure.com/workflows/…',
  },
  discord: {
    title: 'Discord',
    about: 'Into a channel of Discord.',
    hint: 'In Discord: edit the channel, open Integrations, Webhooks, create one, and copy its URL.',
    placeholder: 'https://discord.com/api/webhooks/…',
  },
  mattermost: {
    title: 'Mattermost',
    about: 'Into a channel of Mattermost.',
    hint: 'In Mattermost: open Integrations, Incoming Webhooks, add one, and copy its URL.',
    placeholder: 'https://chat.example.com/hooks/…',
  },
  webhook: {
    title: 'Webhook',
    about: 'As JSON to a URL of yours.',
    hint: 'Each message is sent there by POST.',
    placeholder: 'https://example.com/alerts',
  },
};

export const CHANNEL_TYPES = Object.keys(CHANNELS) as ChannelType[];

/** What one calls it; one of a later version has its own name. */
function channelTitle(type: string): string {
  return (CHANNELS as Record<string, ChannelWords>)[type]?.title ?? type;
}

/** Where messages go, without what is secret. */
export function channelWords(channel: Channel): string {
  return channel.type === 'email' ? `${channelTitle(channel.type)} to ${channel.to.join(', ')}` : channelTitle(channel.type);
}
