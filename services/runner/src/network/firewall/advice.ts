// Commands that let instances through a firewall of this machine. They open nothing else: our own table decides what
// instances may reach, and a drop there is final.

export type Firewall = 'ufw' | 'firewalld' | 'docker' | 'iptables';

/** Blocked way: to other machines, or to a gateway on this one. */
export type Blocked =
  | { readonly way: 'outside' }
  | { readonly way: 'gateway'; readonly address: string; readonly port: number };

export function repair(firewall: Firewall, bridge: string, blocked: Blocked): string {
  if (firewall === 'firewalld')
    return `firewall-cmd --permanent --zone=trusted --add-interface=${bridge} && firewall-cmd --reload`;
  if (blocked.way === 'gateway') {
    const { address, port } = blocked;
    return firewall === 'ufw'
      ? `ufw allow in on ${bridge} to ${address} port ${port} proto tcp`
      : `iptables -I INPUT -i ${bridge} -d ${address} -p tcp --dport ${port} -j ACCEPT`;
  }
  if (firewall === 'ufw') return `ufw route allow in on ${bridge}`;
  const chain = firewall === 'docker' ? 'DOCKER-USER' : 'FORWARD';
  const answers = '-m conntrack --ctstate RELATED,ESTABLISHED';
  return `iptables -I ${chain} -i ${bridge} -j ACCEPT && iptables -I ${chain} -o ${bridge} ${answers} -j ACCEPT`;
}
