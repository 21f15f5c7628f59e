# Does with a formula what brew install, brew test and brew uninstall do, as far as the words go that it uses (Homebrew's
# Formula Cookbook says what they mean): ruby brew.rb FORMULA ARCHIVES PREFIX
require "digest"
require "fileutils"
require "pathname"

formula, archives, prefix = ARGV.map { |name| Pathname(name).expand_path }

module Hardware
  module CPU
    def self.intel? = RUBY_PLATFORM.start_with?("x86_64")
    def self.arm? = RUBY_PLATFORM.start_with?("aarch64", "arm64")
    def self.is_64_bit? = true
  end
end

# A directory of the prefix, which files are moved into.
class Directory < Pathname
  def install(what)
    mkpath
    pairs = what.is_a?(Hash) ? what : Array(what).to_h { |name| [name, File.basename(name)] }
    raise "nothing to install in #{self}" if pairs.empty?
    pairs.each { |from, to| FileUtils.mv(from, self + to) }
  end

  def install_symlink(pairs)
    mkpath
    pairs.each { |to, name| FileUtils.ln_sf(to, self + name) }
  end
end

class Formula
  class << self
    attr_accessor :said, :tested
    %i[desc homepage version license url sha256].each do |word|
      define_method(word) { |text = nil| text ? (self.said ||= {})[word] = text : said.fetch(word) }
    end
    def on_macos = (yield if RUBY_PLATFORM.include?("darwin"))
    def on_linux = (yield if RUBY_PLATFORM.include?("linux"))
    # A release of some systems alone (RELEASE_OS) says which.
    def depends_on(system) = (raise "it is for #{system} alone" unless RUBY_PLATFORM.include?(system.to_s))
    def test(&block) = self.tested = block
  end

  def initialize(prefix) = @prefix = prefix
  def version = self.class.version
  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.each do |word, directory|
    define_method(word) { Directory.new(@prefix + directory) }
  end
  def shell_output(command) = `#{command}`.tap { raise "#{command} failed" unless $?.success? }
  def assert_match(want, got) = (raise "no #{want} in #{got}" unless got.include?(want))
end

load formula.to_s
brewed = Object.const_get(formula.basename(".rb").to_s.capitalize)
archive = archives + File.basename(brewed.url)
raise "#{archive}: the checksum is another" unless Digest::SHA256.file(archive).hexdigest == brewed.sha256
work = prefix + "work"
work.mkpath
system("tar", "-xzf", archive.to_s, "-C", work.to_s, exception: true)
made = brewed.new(prefix + "keg")
Dir.chdir(work) { made.install }
made.instance_eval(&brewed.tested)
work.rmtree
