// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-emu-lab-keys.h"
#include "mrc-emu-lab.h"
#include "mrc-sim-bad-input.h"
#include "mrc-sim-config-file.h"

#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

namespace mrc::emu
{

namespace
{

/// @return text without blanks around it
std::string
Trim(const std::string& text)
{
    const size_t begin = text.find_first_not_of(" \t\r");
    const size_t end = text.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Reads the lines of a lab file.
class LabReader
{
  public:
    /// @param text of the file @param file its name
    LabReader(const std::string& text, const std::string& file)
        : m_input(text),
          m_file(file)
    {
        m_lab.clos.planes = 2;
        m_lab.clos.nics = 4;
        m_lab.clos.nicsPerT0 = 2;
    }

    /// @return what the file says
    Lab Read()
    {
        std::string line;
        while (std::getline(m_input, line))
        {
            ++m_number;
            line = Trim(line);
            if (line.empty() || line.front() == '#')
            {
                continue;
            }
            line.front() == '[' ? Begin(line) : Assign(line);
        }
        return std::move(m_lab);
    }

  private:
    /// @return "FILE:LINE"
    std::string Where() const
    {
        return m_file + ":" + std::to_string(m_number);
    }

    /// @param what is wrong
    [[noreturn]] void Refuse(const std::string& what) const
    {
        throw LabError(Where() + ": " + what);
    }

    /// Begin a section. @param line which
    void Begin(const std::string& line)
    {
        const std::string header = Trim(line.substr(0, line.find('#')));
        m_seen.clear();
        for (const LabSection section :
             {LabSection::FABRIC, LabSection::HOST, LabSection::WORKLOAD, LabSection::AT})
        {
            if (header == SectionHeader(section))
            {
                m_section = section;
                Enter();
                return;
            }
        }
        Refuse("'" + header + "' is none of [fabric], [[host]], [[workload]], [[at]]");
    }

    /// Make what the section describes.
    void Enter()
    {
        switch (m_section)
        {
        case LabSection::FABRIC:
            if (m_hasFabric)
            {
                Refuse("[fabric] is there twice");
            }
            m_hasFabric = true;
            break;
        case LabSection::HOST:
            m_lab.hosts.emplace_back();
            m_lab.hosts.back().where = Where();
            break;
        case LabSection::WORKLOAD:
            m_lab.workloads.emplace_back();
            m_lab.workloads.back().where = Where();
            break;
        case LabSection::AT:
            m_lab.actions.emplace_back();
            m_lab.actions.back().where = Where();
            break;
        default:
            break;
        }
    }

    /// Read the values of a key. @param text behind '=' @return them
    LabValues ReadValues(std::string text)
    {
        LabValues values;
        bool isOpen = false;
        std::string error = sim::ParseTomlValue(text, values, isOpen);
        std::string line;
        while (isOpen && std::getline(m_input, line))
        {
            ++m_number;
            text += '\n' + line;
            error = sim::ParseTomlValue(text, values, isOpen);
        }
        if (isOpen || !error.empty())
        {
            Refuse(isOpen ? "an array has no end" : error);
        }
        return values;
    }

    /// Read "key = value". @param line the text
    void Assign(const std::string& line)
    {
        const size_t equals = line.find('=');
        if (equals == std::string::npos)
        {
            Refuse("'" + line + "' should look like: key = value");
        }
        const std::string name = Trim(line.substr(0, equals));
        const LabKey& key = Find(name);
        if (!m_seen.insert(name).second)
        {
            Refuse("'" + name + "' is set twice");
        }
        const std::string where = Where();
        const LabValues values = ReadValues(line.substr(equals + 1));
        if (!key.isList && values.size() != 1)
        {
            Refuse("'" + name + "' takes one value");
        }
        try
        {
            key.set(m_lab, values);
        }
        catch (const sim::BadInput& error)
        {
            throw LabError(where + ": " + name + ": " + error.what());
        }
        m_lab.setWhere.resize(m_lab.set.size(), where);
    }

    /// @param name of a key @return the key
    const LabKey& Find(const std::string& name) const
    {
        std::string names;
        for (const LabKey& key : LabKeys())
        {
            if (key.section == m_section)
            {
                if (name == key.name)
                {
                    return key;
                }
                names += (names.empty() ? "" : ", ") + std::string(key.name);
            }
        }
        const std::string place = m_section == LabSection::TOP
                                      ? "before the first section"
                                      : std::string("in ") + SectionHeader(m_section);
        Refuse("there is no key '" + name + "' " + place + ": there are " + names);
    }

    std::istringstream m_input;            //!< text
    std::string m_file;                    //!< its name
    uint32_t m_number{0};                  //!< of the line
    LabSection m_section{LabSection::TOP}; //!< that the line is in
    bool m_hasFabric{false};               //!< [fabric] was there
    std::set<std::string> m_seen;          //!< keys of this section
    Lab m_lab;                             //!< what was read
};

/// Give hosts names, places and ports, and check that they fit. @param lab to complete
/// @param file its name
void
Complete(Lab& lab, const std::string& file)
{
    const std::string wrong = lab.clos.Validate();
    if (!wrong.empty())
    {
        throw LabError(file + ": [fabric]: " + wrong);
    }
    std::set<uint32_t> taken;
    std::set<std::string> names;
    for (const LabHost& host : lab.hosts)
    {
        if (host.hasNic && host.nic >= lab.clos.nics)
        {
            throw LabError(host.where + ": nic: there is no nic-" + std::to_string(host.nic) +
                           ": there are nic-0 to nic-" + std::to_string(lab.clos.nics - 1));
        }
        if (host.hasNic && !taken.insert(host.nic).second)
        {
            throw LabError(host.where + ": nic: nic-" + std::to_string(host.nic) +
                           " has two hosts");
        }
    }
    uint32_t next = 0;
    for (size_t i = 0; i < lab.hosts.size(); ++i)
    {
        LabHost& host = lab.hosts[i];
        host.name = host.name.empty() ? "h" + std::to_string(i) : host.name;
        if (!names.insert(host.name).second)
        {
            throw LabError(host.where + ": name: there are two hosts '" + host.name + "'");
        }
        while (!host.hasNic && taken.count(next) != 0)
        {
            ++next;
        }
        if (!host.hasNic)
        {
            host.nic = next;
            taken.insert(next);
        }
        if (host.nic >= lab.clos.nics)
        {
            throw LabError(host.where + ": there are more hosts than places: nics = " +
                           std::to_string(lab.clos.nics));
        }
        if (host.ports.empty())
        {
            host.ports.resize(lab.clos.planes);
        }
        if (host.ports.size() != lab.clos.planes)
        {
            throw LabError(host.where + ": ports: there should be one for each of the " +
                           std::to_string(lab.clos.planes) + " planes");
        }
    }
    for (const LabWorkload& workload : lab.workloads)
    {
        for (const uint32_t nic : workload.nics)
        {
            if (nic >= lab.clos.nics || taken.count(nic) != 0)
            {
                throw LabError(workload.where + ": nics: nic-" + std::to_string(nic) +
                               (nic < lab.clos.nics ? " is a real host" : " does not exist"));
            }
        }
    }
    for (const LabAction& action : lab.actions)
    {
        if (action.command.empty())
        {
            throw LabError(action.where + ": [[at]] needs a command");
        }
    }
}

} // namespace

Lab
ParseLab(const std::string& text, const std::string& file)
{
    Lab lab = LabReader(text, file).Read();
    Complete(lab, file);
    if (lab.name.empty())
    {
        const size_t slash = file.rfind('/');
        const std::string base = file.substr(slash == std::string::npos ? 0 : slash + 1);
        lab.name = base.substr(0, base.rfind('.'));
        if (!IsLabName(lab.name))
        {
            throw LabError(file +
                           ": the file's name cannot be that of the lab: set name = \"...\"");
        }
    }
    return lab;
}

Lab
ReadLabFile(const std::string& path)
{
    std::ifstream file(path);
    if (!file)
    {
        throw LabError(path + ": cannot be read: " + std::strerror(errno));
    }
    std::ostringstream text;
    text << file.rdbuf();
    return ParseLab(text.str(), path);
}

const char*
DemoLabText()
{
    return R"(name = "demo"
scale = "auto"

[fabric]
planes = 2
nics = 4
nics-per-t0 = 2

[[host]]
name = "h0"
[[host]]
name = "h1"
[[host]]
name = "h2"
[[host]]
name = "h3"

[[at]]
time = "4s"
command = "link p0/t0-0-t1-0 down"
[[at]]
time = "8s"
command = "link p0/t0-0-t1-0 up"
)";
}

} // namespace mrc::emu
